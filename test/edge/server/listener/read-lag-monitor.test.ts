import { describe, expect, it } from 'vitest';
import { ReadLagMonitor } from '../../../../src/edge/server/listener/read-lag-monitor.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';

describe('a watch on a reader', () => {
  it('asks with the first frame, and again a second after an answer', () => {
    const clock = new ManualClock();
    const watch = new ReadLagMonitor(clock, 10);
    const first = watch.nextPing();
    expect(first).not.toBeNull();
    expect(watch.nextPing()).toBeNull();
    clock.advance(5_000);
    expect(watch.nextPing(), 'one question at a time').toBeNull();
    watch.onPong(first as string);
    expect(watch.nextPing()).not.toBe(first);
    watch.onPong('2');
    clock.advance(999);
    expect(watch.nextPing()).toBeNull();
    clock.advance(1);
    expect(watch.nextPing()).toBe('3');
  });

  it('calls late who has not answered for longer than is allowed, and nobody else', () => {
    const clock = new ManualClock();
    const watch = new ReadLagMonitor(clock, 10);
    clock.advance(60_000);
    expect(watch.isLagging, 'nothing was asked').toBe(false);
    const question = watch.nextPing() as string;
    clock.advance(10_000);
    expect(watch.isLagging).toBe(false);
    clock.advance(1);
    expect(watch.isLagging).toBe(true);
    watch.onPong('another');
    watch.onPong('');
    expect(watch.isLagging).toBe(true);
    watch.onPong(question);
    expect(watch.isLagging).toBe(false);
    clock.advance(60_000);
    expect(watch.isLagging, 'a pause of ours is no lateness of the reader').toBe(false);
  });
});
