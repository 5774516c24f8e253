/** faster-whisper runs with the same weights, one thread, and a forced language. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export interface PeerAnswer {
  readonly text: string;
  readonly seconds: number;
}

export interface Peer {
  readonly python: string;
  readonly weights: string;
}

const folder = join(process.cwd(), 'build-bench/hear');

export function preparePeer(): Peer {
  const done = spawnSync(process.execPath, ['bench/hear/peer-setup.mjs', folder], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.status !== 0) throw new Error('faster-whisper could not be set up');
  return { python: join(folder, 'venv/bin/python'), weights: join(folder, 'whisper-base') };
}

export function runPeer(
  peer: Peer,
  files: readonly { path: string; language: string; prompt?: string }[],
  beam: number,
): PeerAnswer[] {
  const done = spawnSync(peer.python, [join(process.cwd(), 'bench/hear/peer.py')], {
    env: { ...process.env, OMP_NUM_THREADS: '1' },
    input: JSON.stringify({ model: peer.weights, beam, files }),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (done.status !== 0) throw new Error(`faster-whisper: ${done.stderr}`);
  return done.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PeerAnswer);
}
