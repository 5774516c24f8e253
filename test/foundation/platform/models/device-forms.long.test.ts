import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: it has no types
import { defaultRoot } from '../../../../scripts/models/layout.mjs';
// @ts-expect-error: it has no types
import { recipePackages } from '../../../../scripts/models/recipes.mjs';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { pythonWith } from '../../../python-package.ts';

const runtime = pythonWith('onnxruntime', '1.30.0');

async function passes(file: string, ...args: string[]): Promise<string> {
  const packages = await recipePackages(defaultRoot(), () => {});
  const env = { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1', OMP_NUM_THREADS: '1' };
  try {
    execFileSync(join(runtime.folder, 'bin/python'), [join(import.meta.dirname, file), ...args], {
      env,
      stdio: 'pipe',
    });
    return 'passed';
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error);
  }
}

it('gives a Whisper for a GPU that hears many windows and texts together as each alone', async () => {
  expect(runtime.missing).toBe('');
  expect(await passes('device_forms.py')).toBe('passed');
}, 300_000);

it('gives a generator of speech for a GPU that makes windows of many calls as each alone', async () => {
  expect(runtime.missing).toBe('');
  const weights = new Models().path('kokoro/generator.bin');
  expect(await passes('device_generator.py', weights)).toBe('passed');
}, 300_000);

it('gives a Moonshine for a GPU that hears as the published one, many passes together as each alone', async () => {
  expect(runtime.missing).toBe('');
  const models = new Models();
  const published = ['encoder.ort', 'decoder.ort'].map((file) => models.path(`moonshine-tiny-en/${file}`));
  expect(await passes('device_moonshine.py', ...published)).toBe('passed');
}, 300_000);

it('gives a prosody and a decoder of speech for a GPU that are near the published ones', async () => {
  expect(runtime.missing).toBe('');
  expect(await passes('device_front.py', new Models().path('kokoro/kokoro.onnx'))).toBe('passed');
}, 300_000);

it('runs no graph on a GPU whose operators would stay on the processor', async () => {
  expect(runtime.missing).toBe('');
  const models = new Models();
  const forms = ['smart-turn', 'whisper-base-gpu', 'moonshine-tiny-en-gpu', 'kokoro-gpu']
    .filter((id) => models.status(id).ready)
    .flatMap((id) => Object.entries(models.wholeFiles()).filter(([name]) => name.startsWith(`${id}/`)))
    .map(([, path]) => path)
    .filter((path) => path.endsWith('.onnx'));
  expect(forms.length).toBeGreaterThan(0);
  if (process.env.CI === 'true') expect(forms).toHaveLength(8);
  const published = models.path('kokoro/prosody.onnx');
  expect(await passes('device_operators.py', published, ...forms)).toBe('passed');
}, 120_000);
