import { describe, expect, it } from 'vitest';
import { duckedAt, match } from '../../bench/omni/reference.ts';
import type { PlayedAudio } from '../../src/apps/caller/index.ts';

const FRAME = 160;
const reference = Int16Array.from({ length: 100 * FRAME }, (_, at) =>
  at >= 30 * FRAME && at < 36 * FRAME ? 2 * Math.sin(at) : 3000 * Math.sin(at * 0.3) + 500 * Math.sin(at),
);
const frames = (from: number, to: number, gain = 1): Int16Array[] =>
  Array.from({ length: to - from }, (_, at) =>
    reference.subarray((from + at) * FRAME, (from + at + 1) * FRAME).map((sample) => sample * gain),
  );
const heard = (...pieces: Int16Array[]): PlayedAudio[] =>
  pieces.map((samples, at) => ({ at: at * 20, samples }));
const ms = (samples: number) => samples / 8;

describe('what a caller heard, held against what was meant', () => {
  it('counts up to where the agent was ducked, in a pause too', () => {
    for (const [duck, cut] of [
      [20, 30],
      [32, 44],
    ] as const) {
      const found = match(heard(...frames(0, duck), ...frames(duck, cut, 0.03)), reference);
      expect(ms(found.fullSamples)).toBe(duck * 20);
      expect(duckedAt(found, 300, cut * 20)).toBe(duck === 20 ? 400 : 600);
    }
  });

  it('goes on counting after a false alarm, and finds the ducking that led to the interruption', () => {
    const resumed = frames(20, 50);
    resumed[0] = (resumed[0] as Int16Array).map((sample, at) => sample * Math.min(1, at / 40));
    const found = match(
      heard(...frames(0, 20), ...frames(20, 26, 0.03), ...resumed, ...frames(50, 60, 0.03)),
      reference,
    );
    expect(ms(found.fullSamples)).toBe(50 * 20);
    expect(duckedAt(found, 900, 66 * 20)).toBe(56 * 20);
  });

  it('counts a pause in which the agent was unducked, though it was ducked again before the next sound', () => {
    const pieces = [...frames(0, 29), ...frames(29, 32, 0.03), ...frames(29, 34), ...frames(34, 44, 0.03)];
    expect(ms(match(heard(...pieces), reference).fullSamples)).toBe(34 * 20);
    const inPause = [...frames(0, 31), ...frames(31, 33, 0.03), ...frames(31, 35), ...frames(35, 44, 0.03)];
    expect(ms(match(heard(...inPause), reference).fullSamples)).toBe(35 * 20);
  });

  it('is silent from the pause in which the agent was interrupted', () => {
    const found = match(heard(...frames(0, 34)), reference);
    expect(duckedAt(found, 500, 34 * 20)).toBe(600);
    expect(duckedAt(found, 500, Infinity)).toBeNull();
  });
});
