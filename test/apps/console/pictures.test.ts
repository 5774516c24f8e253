// @requirement Console: A script remakes the screenshots of the documentation.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { compileProgram, root } from '../../running-server.ts';
import { look, person, seed, sentence, serve, settled, signUp } from './seeded.ts';
import { BUSY, Office, serveTelephones, TALKS } from './telephone.ts';

const FOLDER = join(root, 'docs/guides/console');
const WIDGETS = join(root, 'docs/guides/widget');
const PICTURES = [
  ['home', 'light', 1280],
  ['home', 'dark', 390],
  ['analytics', 'dark', 1280],
  ['call', 'light', 1280],
  ['call', 'dark', 390],
  ['voices', 'light', 1280],
  ['agents', 'light', 1280],
  ['numbers', 'dark', 390],
] as const;

it.skipIf(!process.env.TRUNKLINE_PICTURES)(
  'are made anew',
  async () => {
    await compileProgram();
    mkdirSync(FOLDER, { recursive: true });
    const url = await serveTelephones();
    const { page, complaints } = await look(url);
    const who = person('grace');
    await signUp(page, who);
    const ids = await seed(url, who);
    const office = await Office.open(url, who);
    const { omni_call_id: call } = await office.event('telephony.call.ended', await office.call(TALKS));
    await office.event('telephony.call.ended', await office.call(BUSY));
    const addresses: Readonly<Record<string, string>> = {
      agents: `agents/${ids.agent}`,
      call: `calls/${call}`,
    };
    for (const [name, theme, width] of PICTURES) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(`localStorage.setItem('trunkline.theme', '${theme}')`);
      await page.goto(`${url}/console#/${addresses[name] ?? name}`);
      await page.reload();
      await settled(page);
      await page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`) });
    }
    expect(complaints).toEqual([]);
  },
  180_000,
);

async function widgetAs(page: Page, state: string, name: string): Promise<void> {
  const widget = page.locator(`trunkline-call[data-state="${state}"]`);
  await widget.waitFor();
  await widget.screenshot({ path: join(WIDGETS, `${name}.png`) });
}

const caller = (): Buffer => Buffer.concat([Buffer.alloc(16 * 9000), sentence(), Buffer.alloc(16 * 60_000)]);

it.skipIf(!process.env.TRUNKLINE_PICTURES)(
  'are made anew of each state of the widget',
  async () => {
    await compileProgram();
    mkdirSync(WIDGETS, { recursive: true });
    const url = await serve();
    const { page } = await look(url, caller());
    await page.setViewportSize({ width: 480, height: 700 });
    await page.goto(`${url}/demo`);
    await widgetAs(page, 'idle', 'idle');
    await page.getByRole('button', { name: 'Call' }).click();
    await widgetAs(page, 'calling', 'calling');
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.getByText('You:').waitFor();
    await widgetAs(page, 'live', 'live');
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByText('Keypad').click();
    await widgetAs(page, 'live', 'muted');
    await page.getByRole('button', { name: 'Hang up' }).click();
    await widgetAs(page, 'over', 'over');
    await page.addInitScript(
      "navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotAllowedError'); }",
    );
    await page.reload();
    await page.getByRole('button', { name: 'Call' }).click();
    await widgetAs(page, 'over', 'refused');
  },
  180_000,
);
