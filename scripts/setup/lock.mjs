/**
 * Allows one set-up at a time in a folder. The lock is the kernel's own (flock) and belongs to an open file that
 * every program that set-up starts holds as well: if this process is killed, the lock is released when the last of
 * them ends, and not while an orphaned compiler or download still writes. No stale lock exists.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { run, shareWithPrograms } from './run.mjs';

/** Node cannot lock a file; a program that inherits the open file can, for every holder of it. */
const LOCK = `
import fcntl
try:
    fcntl.flock(3, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print('waiting', flush=True)
    fcntl.flock(3, fcntl.LOCK_EX)
`;

export async function withLock(folder, log, waiting, task) {
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, '.lock'), 'a');
  const unshare = shareWithPrograms(file);
  try {
    await take(file, () => log(waiting));
    return await task();
  } finally {
    unshare();
    closeSync(file);
  }
}

async function take(file, reportWaiting) {
  const { code, missing } = await run('python3', ['-c', LOCK], { onLine: reportWaiting, third: file });
  if (missing) return await takeByFlock(file, reportWaiting);
  if (code !== 0) throw new Failure(`cannot acquire the setup lock (exit code ${code})`);
}

/** A release needs no Python; every distribution has this program of util-linux. */
async function takeByFlock(file, reportWaiting) {
  const { code, missing } = await run('flock', ['-n', '3'], { third: file });
  if (missing) throw new Failure('flock is missing', 'apt-get install -y util-linux');
  if (code === 0) return;
  reportWaiting();
  const waited = await run('flock', ['3'], { third: file });
  if (waited.code !== 0) throw new Failure(`cannot acquire the setup lock (exit code ${waited.code})`);
}
