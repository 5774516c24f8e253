import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** A test may change the sources of its own checkout; build outputs and installed packages are shared. */
function checkout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dev-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['scripts', 'src', 'lib', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true, preserveTimestamps: true });
  for (const name of ['node_modules', 'models', 'native']) symlinkSync(join(root, name), join(folder, name));
  return folder;
}

it('begins the server again after a change, and keeps the one that runs where a source is broken', async () => {
  const folder = checkout();
  const child = spawn(process.execPath, ['scripts/dev.mjs'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TRUNKLINE_DATA: join(folder, 'data'),
      TRUNKLINE_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const times = (words: RegExp) => [...said.matchAll(words)].length;
  const within = { timeout: 90_000 };
  await expect.poll(() => times(/^dev: ready/gm), within).toBe(1);
  const [, url] = /^ready (\S+)/m.exec(said)!;

  const file = join(folder, 'src/foundation/platform/clock.ts');
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, 'export const = ;\n');
  await expect.poll(() => said, within).toMatch(/^dev: .*clock\.ts is not TypeScript/m);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);

  writeFileSync(file, whole);
  appendFileSync(file, '// changed\n');
  await expect.poll(() => times(/^dev: ready/gm), within).toBe(2);
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
}, 240_000);
