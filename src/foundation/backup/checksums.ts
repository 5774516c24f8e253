import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from './backup-error.ts';

export const CHECKSUMS_FILE = 'SHA256SUMS';
const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

export type Checksums = ReadonlyMap<string, string>;

export const writeChecksums = (folder: string, sums: Checksums): Promise<void> =>
  writeFile(join(folder, CHECKSUMS_FILE), [...sums].map(([path, sum]) => `${sum}  ${path}\n`).join(''));

export async function readChecksums(folder: string): Promise<Checksums> {
  const text = await readFile(join(folder, CHECKSUMS_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new BackupError(
      error.code === 'ENOENT' ? `${folder} is not a backup: it has no ${CHECKSUMS_FILE}` : error.message,
    );
  });
  return new Map(text.split('\n').filter(Boolean).map(entryOf));
}

function entryOf(line: string): [string, string] {
  const [, sum, path] = LINE.exec(line) ?? [];
  if (sum === undefined || path === undefined || !staysInside(path))
    throw new BackupError(`${CHECKSUMS_FILE} has an invalid line: ${line}`);
  return [path, sum];
}

/** A backup may come from anywhere, so every path in it must stay inside the backup and the data folder. */
const staysInside = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
