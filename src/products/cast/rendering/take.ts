import { type CapacityShare, type Engine, synthesizeJob } from '../../../media/engine/index.ts';
import { saysSomething } from '../spoken-text.ts';
import type { PlannedLine } from './plan.ts';

export const RATE = 24_000;
export const SAMPLE_BYTES = 2;

const silence = (milliseconds: number): Buffer =>
  Buffer.alloc(Math.round((milliseconds * RATE) / 1000) * SAMPLE_BYTES);

/** Yields mono PCM16, stretch after stretch with their pauses. */
export async function* speakLine(
  engine: Engine,
  { stretches, engine: voice, seed }: PlannedLine,
  share: CapacityShare,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  for (const { text, pauseMs } of stretches) {
    if (saysSomething(text)) {
      const options = { voice, rate: RATE, format: 'pcm16', seed, offline: true } as const;
      yield* engine.submit(synthesizeJob, options, Buffer.from(text), signal, share).chunks();
    }
    if (pauseMs > 0) yield silence(pauseMs);
  }
}
