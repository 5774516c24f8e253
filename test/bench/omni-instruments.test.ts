import { describe, expect, it } from 'vitest';
import { driftOf } from '../../bench/omni/media-clock.ts';
import { duckedAt, duckingsSince, match } from '../../bench/omni/reference.ts';
import { type ResponseLatency, withoutBrain } from '../../bench/omni/response-latency.ts';
import { gained, LINE_RATE, noise, speechSpan } from '../../src/apps/caller/index.ts';

function sounds(...pieces: (readonly [ms: number, dbfs: number])[]): Int16Array {
  const parts = pieces.flatMap(([ms, dbfs], at) => {
    // The noise is uniform and 40,000 wide: -9.07 dBFS.
    return [...gained(noise(ms / 1000, at + 1), dbfs + 9.07)];
  });
  return Int16Array.from(parts);
}

describe('where speech begins and ends', () => {
  it('is where its level first and last is within 15.9 dB of that of the active speech', () => {
    expect(speechSpan(sounds([300, -80], [500, -20], [200, -33], [400, -80]))).toEqual({
      startMs: 300,
      endMs: 1_000,
    });
    expect(speechSpan(sounds([300, -80], [500, -20], [200, -39], [400, -80]))).toEqual({
      startMs: 300,
      endMs: 800,
    });
  });

  it('finds a softer beginning by a wider margin', () => {
    const soft = sounds([300, -80], [100, -38], [500, -20], [300, -80]);
    expect(speechSpan(soft).startMs).toBe(400);
    expect(speechSpan(soft, 20).startMs).toBe(300);
  });

  it('leaves out a click before and after, and keeps a pause in the middle', () => {
    const span = speechSpan(
      sounds(
        [200, -80],
        [20, -10],
        [200, -80],
        [400, -20],
        [500, -80],
        [300, -25],
        [100, -80],
        [20, -15],
        [80, -80],
      ),
    );
    expect(span).toEqual({ startMs: 420, endMs: 1_620 });
  });

  it('doesn’t take hiss for speech that is far below it, and all of a recording without any for one sound', () => {
    expect(speechSpan(sounds([500, -50], [500, -20], [500, -50]))).toEqual({ startMs: 500, endMs: 1_000 });
    expect(speechSpan(sounds([500, -50]))).toEqual({ startMs: 0, endMs: 500 });
  });
});

describe('a gap without the brain', () => {
  const gap = (wholeMs: number, finalMs: number, delayMs: number): ResponseLatency => ({
    clip: '',
    wholeMs,
    finalMs,
    delayMs,
    parts: {},
  });

  it('is shorter by the delay, but not shorter than the words and the line took', () => {
    const gaps = [gap(500, 450, 0), gap(1_300, 450, 600), gap(700, 450, 600)];
    // The line takes 50 ms; of the third question's 600 ms, the part that speculation hid is not subtracted again.
    expect(withoutBrain(gaps)).toEqual([500, 700, 500]);
  });
});

describe('the drift of the media clock', () => {
  const speeches = (slope: number, late: (at: number) => number) =>
    Array.from({ length: 60 }, (_, at) => ({
      cameMs: at * 8_000 * (1 + slope) + late(at),
      beganMs: at * 8_000,
    }));

  it('is found under arrivals that are late now and then', () => {
    // A drift of 2 in a million is 7.2 ms an hour: 0.36 frames.
    const { framesAnHour, bound, speeches: count } = driftOf(speeches(2e-6, (at) => (at % 6 === 2 ? 0 : 40)));
    expect(framesAnHour).toBeCloseTo(0.36, 3);
    expect(bound).toBeLessThan(0.001);
    expect(count).toBe(60);
  });

  it('is bounded by how much the earliest arrivals scatter', () => {
    const { framesAnHour, bound } = driftOf(speeches(0, (at) => (Math.floor(at / 6) % 2) * 4));
    expect(Math.abs(framesAnHour)).toBeLessThan(bound);
    expect(bound).toBeGreaterThan(0.5);
  });
});

describe('how long an agent is ducked', () => {
  const FRAME = LINE_RATE / 50;
  const reference = Int16Array.from(
    { length: 60 * FRAME },
    (_, at) => 3_000 * Math.sin(at * 0.3) + 500 * Math.sin(at),
  );
  const frames = (from: number, to: number, gain = 1) =>
    Array.from({ length: to - from }, (_, at) =>
      gained(reference.subarray((from + at) * FRAME, (from + at + 1) * FRAME), 20 * Math.log10(gain)),
    );
  const heard = (pieces: Int16Array[]) => pieces.map((samples, at) => ({ at: at * 20, samples }));

  it('runs until it is unducked at the sample at which it was ducked', () => {
    const found = match(heard([...frames(0, 10), ...frames(10, 18, 0.03), ...frames(10, 30)]), reference);
    expect(duckingsSince(found, 100, 150)).toEqual([{ atMs: 50, forMs: 160 }]);
    expect(duckedAt(found, 150, Infinity)).toBe(200);
  });

  it('has no end where it goes on elsewhere, and nothing is known of what comes behind', () => {
    const found = match(heard([...frames(0, 10), ...frames(10, 18, 0.03), ...frames(11, 30)]), reference);
    expect(duckingsSince(found, 100, 150)).toEqual([{ atMs: 50, forMs: null }]);
    expect(duckingsSince(found, 300, 300)).toBeNull();
  });

  it('is not known of a sound that fell into something else than what was to be heard', () => {
    const found = match(heard([...frames(0, 5), ...frames(40, 50), ...frames(5, 30)]), reference);
    expect(duckingsSince(found, 0, 0)).toEqual([{ atMs: 100, forMs: 200 }]);
    expect(duckingsSince(found, 200, 200)).toBeNull();
    expect(duckingsSince(found, 300, 300)).toEqual([]);
  });

  it('is told of each time', () => {
    const pieces = [
      ...frames(0, 10),
      ...frames(10, 12, 0.03),
      ...frames(10, 20),
      ...frames(20, 25, 0.03),
      ...frames(20, 40),
    ];
    expect(duckingsSince(match(heard(pieces), reference), 0, 0)).toEqual([
      { atMs: 200, forMs: 40 },
      { atMs: 440, forMs: 100 },
    ]);
  });
});
