/**
 * One fetcher at a time in a cache. The lock is the kernel's own (flock), held by a small child whose standard input
 * is ours: however this process ends, the pipe closes, the child leaves and the lock is free. No stale lock exists.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../setup/failure.mjs';

const HOLDER = `
import fcntl, sys
file = open(sys.argv[1], 'a')
try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print('waiting', flush=True)
    fcntl.flock(file, fcntl.LOCK_EX)
print('held', flush=True)
sys.stdin.read()
`;

export async function withLock(
  root,
  log,
  task,
  waiting = 'models: another process is fetching; waiting for it',
) {
  mkdirSync(root, { recursive: true });
  const holder = spawn('python3', ['-c', HOLDER, join(root, '.lock')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    await held(holder, () => log(waiting));
    return await task();
  } finally {
    holder.stdin.destroy();
  }
}

function held(holder, tellWaiting) {
  return new Promise((resolve, reject) => {
    let said = '';
    holder.on('error', () =>
      reject(
        new Failure('python3 is missing: it unpacks the models', 'apt-get install -y python3 python3-pip'),
      ),
    );
    holder.on('exit', (code) =>
      reject(new Failure(`the lock of the model cache cannot be taken (exit ${code})`)),
    );
    holder.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      if (said.includes('held')) resolve();
      else if (said.includes('waiting')) tellWaiting();
    });
  });
}
