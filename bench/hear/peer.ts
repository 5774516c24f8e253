/** faster-whisper beside us: the same weights, one thread, the language forced. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface PeerAnswer {
  readonly text: string;
  readonly seconds: number;
}

/** A folder that `pip install --target FOLDER faster-whisper` filled, and one with the weights in CTranslate2's form. */
const packages = process.env.BENCH_PYTHON ?? join(process.cwd(), 'build-bench/python');
const weights = process.env.BENCH_WHISPER ?? join(process.cwd(), 'build-bench/whisper-base-ct2');

/** Why the peer cannot run; empty when it can. */
export const peerAbsent =
  existsSync(join(packages, 'faster_whisper')) && existsSync(join(weights, 'model.bin'))
    ? ''
    : `pip install --target ${packages} faster-whisper, and the CTranslate2 files of Whisper base in ${weights}`;

export function runPeer(files: readonly { path: string; language: string }[], beam: number): PeerAnswer[] {
  const done = spawnSync('python3', [join(process.cwd(), 'bench/hear/peer.py')], {
    env: { ...process.env, PYTHONPATH: packages, OMP_NUM_THREADS: '1' },
    input: JSON.stringify({ model: weights, beam, files }),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (done.status !== 0) throw new Error(`faster-whisper: ${done.stderr}`);
  return done.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PeerAnswer);
}
