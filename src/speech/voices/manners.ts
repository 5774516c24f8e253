/**
 * Each emotion differs audibly from neutral in pitch, melody, pace or force; the benchmark measures the difference.
 */
import type { SpeakingManner } from '../../media/engine/index.ts';
import type { Emotion } from './stock.ts';

export const EMOTIONS: readonly Emotion[] = ['neutral', 'warm', 'cheerful', 'calm', 'serious', 'sad'];

const MANNERS: Readonly<Record<Emotion, SpeakingManner>> = {
  neutral: {},
  warm: { speed: 0.92, pitch: 0.94, range: 1.15, tilt: -4, gain: -1.5 },
  cheerful: { speed: 1.1, pitch: 1.12, range: 1.4, tilt: 2, gain: 1 },
  calm: { speed: 0.86, pitch: 0.97, range: 0.7, tilt: -2, gain: -3 },
  serious: { speed: 0.96, pitch: 0.88, range: 0.75, gain: 0.5 },
  sad: { speed: 0.8, pitch: 0.91, range: 0.55, tilt: -4, gain: -4.5 },
};

export function mergeManners(...manners: readonly (SpeakingManner | undefined)[]): SpeakingManner {
  const joined = { speed: 1, pitch: 1, range: 1, gain: 0, tilt: 0 };
  for (const manner of manners) {
    joined.speed *= manner?.speed ?? 1;
    joined.pitch *= manner?.pitch ?? 1;
    joined.range *= manner?.range ?? 1;
    joined.gain += manner?.gain ?? 0;
    joined.tilt += manner?.tilt ?? 0;
  }
  return joined;
}

export const mannerOf = (emotion: Emotion): SpeakingManner => MANNERS[emotion];
