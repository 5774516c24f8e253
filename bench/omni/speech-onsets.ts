import { LINE_RATE, levelOf, type SpeechClip } from '../../src/apps/caller/index.ts';

const BLOCK = LINE_RATE / 50;
const PAUSE = LINE_RATE / 4;
const PIECE = 1.4 * LINE_RATE;
/** The judge of interruptions ignores audio below this level (native/lanes/omni/barge_in_detector.h). */
const QUIET_DBFS = -42;

/**
 * Returns the first `most` onsets after a pause, each from a quarter of a second before and long enough for the
 * judge.
 */
export function beginningsOf<Of extends SpeechClip>(clip: Of, most: number): Of[] {
  const starts: number[] = [];
  let quiet = Number.POSITIVE_INFINITY;
  for (let at = 0; at + BLOCK <= clip.samples.length; at += BLOCK) {
    if (levelOf(clip.samples.subarray(at, at + BLOCK)) < QUIET_DBFS) {
      quiet += BLOCK;
      continue;
    }
    if (quiet >= PAUSE) starts.push(at);
    quiet = 0;
  }
  return starts.slice(0, most).map((at) => {
    const from = Math.max(0, at - PAUSE);
    const samples = clip.samples.slice(from, from + PIECE);
    const ms = (of: number): number => (of * 1000) / LINE_RATE;
    return { ...clip, samples, startMs: ms(at - from), endMs: ms(samples.length) };
  });
}
