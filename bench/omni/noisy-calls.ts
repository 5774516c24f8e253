/**
 * Callers among others, with the speaker lock and without: native/test/measure/other_voices.cc plays whole calls in
 * virtual time, so that the load of the machine changes no figure. pipecat's rule hears the same lines.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../src/foundation/platform/project-root.ts';
import type { Half } from './corpus.ts';

const run = promisify(execFile);

export const KINDS = ['talker', 'television', 'cafe', 'street'] as const;
export type NoiseKind = (typeof KINDS)[number];
export const NOISE_DB = [10, 5, 0] as const;

export interface NoisyCall {
  readonly kind: NoiseKind;
  /** How much quieter it is than the caller. */
  readonly db: number;
  readonly caller: string;
  readonly lock: boolean;
  /** False interruptions, while the caller listens for `listensMinutes`. */
  readonly cuts: number;
  readonly peerCuts: number;
  readonly listensMinutes: number;
  /** The caller is silent for this long in all. */
  readonly minutes: number;
  /** Words that were written of others meanwhile, and those that they said; 0 where that is not known. */
  readonly othersWords: number;
  readonly othersSaid: number;
  readonly leftOut: number;
  readonly callersWords: number;
  readonly wrong: number;
  /** Words of the caller's turns and interruption, and those that are not in the text. */
  readonly saidWords: number;
  readonly lostWords: number;
  readonly turns: number;
  /** Turns of the caller without a text two seconds after the last word. */
  readonly lateEnds: number;
  /** The caller's own interruption; -1 where none came. */
  readonly latencyMs: number;
  readonly peerLatencyMs: number;
}

const CALLERS = 4;

/** The same callers with the lock and without, side by side. */
export async function measureNoise(kind: NoiseKind, quick: boolean, half: Half): Promise<NoisyCall[]> {
  await run('ninja', ['-C', 'build-native', 'measure_other_voices'], { cwd: PROJECT_ROOT });
  const some = quick ? ['1', kind, '10'] : [String(CALLERS), kind];
  const rows = await Promise.all(
    ['0', '1'].map(async (lock) => {
      const { stdout } = await run('build-native/measure_other_voices', [half, lock, ...some], {
        cwd: PROJECT_ROOT,
        maxBuffer: 1 << 26,
      });
      return stdout.trim().split('\n');
    }),
  );
  return rows.flat().map((line) => JSON.parse(line) as NoisyCall);
}
