// @requirement Sandbox: The data folder is readable by its user alone.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { makePrivate, readableByOthers } from '../../../src/foundation/storage/private-folder.ts';

const before = process.umask();
const above = mkdtempSync(join(tmpdir(), 'private-'));
afterEach(() => {
  process.umask(before);
  rmSync(above, { recursive: true, force: true });
});

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

it('a data folder and what is made in it are their owner’s alone, also what an earlier version left open', () => {
  const made = join(above, 'made');
  makePrivate(made);
  writeFileSync(join(made, 'trunkline.db'), '');
  mkdirSync(join(made, 'blobs'));
  expect([made, join(made, 'trunkline.db'), join(made, 'blobs')].map(modeOf)).toEqual(['700', '600', '700']);
  expect(readableByOthers(made)).toBeNull();

  const old = join(above, 'old');
  mkdirSync(old);
  chmodSync(old, 0o755);
  for (const name of ['trunkline.db', 'trunkline.db-wal', 'of-somebody-else.txt']) {
    writeFileSync(join(old, name), '');
    chmodSync(join(old, name), 0o644);
  }
  makePrivate(old);
  expect(
    ['trunkline.db', 'trunkline.db-wal', 'of-somebody-else.txt'].map((name) => modeOf(join(old, name))),
  ).toEqual(['600', '600', '644']);
  expect(readableByOthers(old)).toContain('755');
});
