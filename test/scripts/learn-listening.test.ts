import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { long, longForm } from '../long-tests.ts';

const root = join(import.meta.dirname, '../..');
const RECORDINGS = join(root, '../shared/speech/manifest.jsonl');
const SAMPLE = '60';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'learn-listening-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function script(name: string, args: readonly string[], env = {}) {
  const command = [join('scripts', name), ...args];
  return spawnSync(process.execPath, command, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
}

it('refuses a sample that is no number', () => {
  const { status, stderr } = script('learn-listening.mjs', ['--sample', 'few']);
  expect(status).not.toBe(0);
  expect(stderr).toContain('--sample: expected a number of sounds, received few');
});

it.skipIf(!long || !existsSync(RECORDINGS))(
  longForm('learns from a sample what the engine loads, and what tells strangers apart'),
  () => {
    const nets = join(folder, 'nets.bin');
    const learnt = script('learn-listening.mjs', ['--sample', SAMPLE, '--out', nets]);
    expect(learnt.status, learnt.stdout + learnt.stderr).toBe(0);
    const scored = script('test.mjs', ['native:SampleOfListening'], { TRUNKLINE_LEARNT_NETS: nets });
    expect(scored.stdout).not.toContain('skipped');
    expect(scored.stdout).toContain('1 passed, 0 failed');
  },
  60 * 60_000,
);
