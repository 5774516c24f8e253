import { describe, expect, it } from 'vitest';
import { Pace } from '../../../src/surfaces/omni/pace.ts';
import { ManualClock } from '../../platform/manual-clock.ts';

const FRAME = 320;

function caller() {
  const clock = new ManualClock();
  const pace = new Pace(clock, 8000);
  /** Frames of 20 ms, one after each `everyMs`; how many were taken. */
  const send = (frames: number, everyMs: number): number => {
    for (let sent = 0; sent < frames; sent++) {
      if (!pace.take(FRAME)) return sent;
      clock.advance(everyMs);
    }
    return frames;
  };
  return { clock, send };
}

describe('the pace of a caller', () => {
  it('may be that of a sound card that runs fast, for hours', () => {
    expect(caller().send(500_000, 19.9)).toBe(500_000);
  });

  it('is two seconds ahead at most when the call begins', () => {
    expect(caller().send(500, 0)).toBe(100);
    const twice = caller().send(1_000, 10);
    expect(twice).toBeGreaterThan(190);
    expect(twice).toBeLessThan(210);
  });

  it('may make up for what a network held up', () => {
    const { clock, send } = caller();
    expect(send(50, 20)).toBe(50);
    clock.advance(4_000);
    expect(send(200, 0)).toBe(200);
    expect(send(500, 20)).toBe(500);
    clock.advance(60_000);
    expect(send(500, 0)).toBe(250);
  });
});
