import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { itWhere } from '../long-tests.ts';

const SCRIPTS = resolve(import.meta.dirname, '../../scripts');
const PIECE = 50;
let folder: string;
let names: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trunkline-gpu-check-'));
  mkdirSync(join(folder, 'from/bundle'), { recursive: true });
  writeFileSync(
    join(folder, 'from/bundle/runner.py'),
    'import sys\nprint("ran", *sys.argv[2:])\nsys.exit(3)\n',
  );
  execFileSync('tar', ['-czf', join(folder, 'whole'), '-C', join(folder, 'from'), 'bundle']);
  const whole = readFileSync(join(folder, 'whole'));
  const pieces: { name: string; sha256: string; bytes: number }[] = [];
  for (let at = 0; at < whole.length; at += PIECE) {
    const blob = whole.subarray(at, at + PIECE);
    const name = `piece-${pieces.length}`;
    writeFileSync(join(folder, name), blob);
    pieces.push({ name, sha256: createHash('sha256').update(blob).digest('hex'), bytes: blob.length });
  }
  names = pieces.map(({ name }) => name);
  writeFileSync(join(folder, 'pieces.json'), JSON.stringify(pieces));
  copyFileSync(join(SCRIPTS, 'gpu-check/check.py'), join(folder, 'check.py'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const check = (...args: string[]) =>
  spawnSync('python3', [join(folder, 'check.py'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: folder },
  });

it('joins the pieces, runs the report and ends as it does', () => {
  expect(names.length).toBeGreaterThan(2);
  const first = check('--cpu');
  expect(first.stdout).toBe('ran --cpu\n');
  expect(first.status).toBe(3);
  expect(check().stdout).toBe('ran\n');
});

it('names the piece that is missing, and the one that is damaged', () => {
  rmSync(join(folder, names[1]!));
  expect(check()).toMatchObject({
    status: 1,
    stderr: `${names[1]} of ${names.length} pieces is not here yet\n`,
  });
  writeFileSync(join(folder, names[1]!), 'something else');
  expect(check()).toMatchObject({
    status: 1,
    stderr: `${names[1]} is not the piece that was packed; bring it again\n`,
  });
});

itWhere(!existsSync('/dev/nvidiactl'))('says where there is no device, and packs nothing', () => {
  const out = join(folder, 'out');
  const said = execFileSync(process.execPath, [join(SCRIPTS, 'gpu-check.mjs'), 'here', '--out', out], {
    encoding: 'utf8',
  });
  expect(JSON.parse(said)).toEqual({ skipped: 'this machine has no NVIDIA device' });
  expect(existsSync(out)).toBe(false);
});
