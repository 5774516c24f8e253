import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
// @ts-expect-error: it has no types
import { copyProduct } from '../../scripts/release/product.mjs';
import { PROJECT_ROOT } from '../../src/foundation/platform/project-root.ts';

const folder = mkdtempSync(join(tmpdir(), 'trunkline-convert-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('says what is missing where there is no Python', () => {
  symlinkSync(process.execPath, join(folder, 'node'));
  const script = join(PROJECT_ROOT, 'scripts/convert-model.mjs');
  const args = [script, 'piper/voice.py', folder, join(folder, 'out'), '--root', join(folder, 'models')];
  const { status, stderr } = spawnSync(process.execPath, args, { env: { PATH: folder }, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('python3 is missing: it converts the model');
  expect(stderr).toContain('apt-get install -y python3');
});

it('is part of every release, with the recipes that it runs', () => {
  const into = join(folder, 'product');
  const without = ['dist', 'dist-console', 'lib/binding'];
  copyProduct(PROJECT_ROOT, into, { without });
  for (const path of [
    'scripts/convert-model.mjs',
    'models/recipes/piper/voice.py',
    'models/recipes/piper/build.py',
  ])
    expect(readFileSync(join(into, path), 'utf8')).toBe(readFileSync(join(PROJECT_ROOT, path), 'utf8'));
});
