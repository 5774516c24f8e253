import { describe, expect, it } from 'vitest';
import { AudioRateLimiter, ControlRateLimiter } from '../../../../src/edge/surfaces/omni/rate-limits.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';

const FRAME = 320;

function caller() {
  const clock = new ManualClock();
  const pace = new AudioRateLimiter(clock, 8000);
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
    clock.advance(8_000);
    expect(send(400, 0)).toBe(400);
    expect(send(500, 20)).toBe(500);
    clock.advance(60_000);
    expect(send(600, 0)).toBe(500);
  });

  it('is that of frames too: many that hold next to nothing are no speech', () => {
    const clock = new ManualClock();
    const pace = new AudioRateLimiter(clock, 8000);
    let taken = 0;
    while (pace.take(2)) taken++;
    expect(taken).toBe(1_000);
    clock.advance(10);
    for (let at = 0; at < 1_000; at++) {
      clock.advance(5);
      expect(pace.take(80)).toBe(true);
    }
  });
});

describe('control frames', () => {
  it('come a hundred at once, and twenty a second', () => {
    const clock = new ManualClock();
    const pace = new ControlRateLimiter(clock);
    let taken = 0;
    while (pace.takeControl()) taken++;
    expect(taken).toBe(100);
    clock.advance(1_000);
    while (pace.takeControl()) taken++;
    expect(taken).toBe(120);
    clock.advance(3_600_000);
    while (pace.takeControl()) taken++;
    expect(taken).toBe(220);
  });

  it('configure a few times in a row, and once a second', () => {
    const clock = new ManualClock();
    const pace = new ControlRateLimiter(clock);
    const taken = Array.from({ length: 8 }, () => pace.takeConfigure());
    expect(taken.filter(Boolean)).toHaveLength(5);
    clock.advance(1_000);
    expect([pace.takeConfigure(), pace.takeConfigure()]).toEqual([true, false]);
  });
});
