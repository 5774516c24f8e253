import { beforeEach, describe, expect, it } from 'vitest';
import {
  type CoalescerClock,
  FRAMES_PER_CHECK,
  MAX_SLEEP_MS,
  ReceiveCoalescer,
} from '../../../../src/edge/server/listener/receive-coalescer.ts';

class HandClock implements CoalescerClock {
  time = 1000;
  pauses: number[] = [];
  tasks: (() => void)[] = [];
  now = () => this.time;
  sleep = (milliseconds: number) => {
    this.pauses.push(milliseconds);
    this.time += milliseconds;
  };
  afterTurn = (task: () => void) => {
    this.tasks.push(task);
  };
  turn(pacer: ReceiveCoalescer, frames: number, each: number): void {
    for (let i = 0; i < frames; i++) {
      this.time += each;
      pacer.onFrame();
    }
    for (const task of this.tasks.splice(0)) task();
  }
}

describe('Pacer', () => {
  let clock: HandClock;
  let pacer: ReceiveCoalescer;
  beforeEach(() => {
    clock = new HandClock();
    pacer = new ReceiveCoalescer(clock);
  });

  it('rests what is left of a millisecond when frames come fast', () => {
    clock.turn(pacer, 50, 0.004);
    clock.turn(pacer, 50, 0.004);
    clock.turn(pacer, 50, 0.004);
    expect(clock.pauses).toHaveLength(3);
    for (const rest of clock.pauses) expect(rest).toBeCloseTo(0.8);
  });

  it('never rests longer than its bound, nor twice in one turn', () => {
    clock.turn(pacer, 10 * FRAMES_PER_CHECK, 0.0001);
    expect(clock.pauses).toHaveLength(1);
    expect(clock.pauses[0]).toBeLessThanOrEqual(MAX_SLEEP_MS);
  });

  it('leaves a loop alone whose frames come slowly', () => {
    for (let i = 0; i < 1000; i++) clock.turn(pacer, 1, 0.2);
    expect(clock.pauses).toEqual([]);
  });

  it('leaves a loop alone that has work for the whole millisecond', () => {
    for (let i = 0; i < 20; i++) clock.turn(pacer, 100, 0.0125);
    expect(clock.pauses).toEqual([]);
  });

  it('looks once in many frames, whatever comes', () => {
    for (let i = 0; i < FRAMES_PER_CHECK - 1; i++) pacer.onFrame();
    expect(clock.tasks).toHaveLength(0);
    pacer.onFrame();
    pacer.onFrame();
    expect(clock.tasks).toHaveLength(1);
  });
});
