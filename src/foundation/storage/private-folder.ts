import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const OWNER_ALONE = 0o077;
const OTHERS = 0o077;
/** These entries make up the top level of a data folder. */
const OURS = /^(trunkline\.db(-wal|-shm)?|blobs|spool|sealing\.key)$/;

/** Makes the folder, and everything of ours in it, readable by this process's user alone; what is made from now on is so by
 * itself. A folder that was there already may be somebody else's too: only what is ours in it is changed. */
export function makePrivate(folder: string): void {
  process.umask(OWNER_ALONE);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder).filter((each) => OURS.test(each))) {
    const path = join(folder, name);
    const { mode, uid } = statSync(path);
    if ((mode & OTHERS) !== 0 && uid === process.getuid?.()) chmodSync(path, mode & ~OTHERS & 0o777);
  }
}

/** Describes which other users can read the folder; null means none. */
export function readableByOthers(folder: string): string | null {
  const { mode } = statSync(folder);
  return (mode & OTHERS) === 0 ? null : `others may enter it (mode ${(mode & 0o777).toString(8)})`;
}
