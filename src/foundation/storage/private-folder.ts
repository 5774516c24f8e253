import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OWNER_ALONE = 0o077;
const OTHERS = 0o077;
const OURS = /^(trunkline\.db(-wal|-shm)?|blobs|spool|sealing\.key)$/;

/**
 * Restricts the folder and the product's files in it to this process's user, and sets the umask for new files. In an
 * existing folder it changes no other files.
 */
export function makePrivate(folder: string): void {
  process.umask(OWNER_ALONE);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder).filter((each) => OURS.test(each))) {
    const path = join(folder, name);
    const { mode, uid } = statSync(path);
    if ((mode & OTHERS) !== 0 && uid === process.getuid?.()) chmodSync(path, mode & ~OTHERS & 0o777);
  }
}

export function readableByOthers(folder: string): string | null {
  const { mode } = statSync(folder);
  return (mode & OTHERS) === 0 ? null : `others may enter it (mode ${(mode & 0o777).toString(8)})`;
}
