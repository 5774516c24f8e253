/** Makes the pictures of the guide: `node scripts/console-pictures.mjs`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compileProgram, root } from '../running.ts';
import { look, person, seed, serve, signUp } from './seeded.ts';

const FOLDER = join(root, 'docs/guides/console');
const PICTURES = [
  ['home', 'light', 1280],
  ['agents', 'light', 1280],
  ['numbers', 'dark', 390],
] as const;

it.skipIf(!process.env.TRUNKLINE_PICTURES)(
  'are made anew',
  async () => {
    await compileProgram();
    mkdirSync(FOLDER, { recursive: true });
    const url = await serve();
    const { page, complaints } = await look(url);
    const who = person('grace');
    await signUp(page, who);
    const ids = await seed(url, who);
    for (const [name, theme, width] of PICTURES) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(`localStorage.setItem('trunkline.theme', '${theme}')`);
      await page.goto(`${url}/console#/${name === 'agents' ? `agents/${ids.agent}` : name}`);
      await page.reload();
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`) });
    }
    expect(complaints).toEqual([]);
  },
  180_000,
);
