import { describe, expect, it } from 'vitest';
import { ReaderWatch } from '../../../../src/edge/server/listener/reader-watch.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';

describe('a watch on a reader', () => {
  it('asks with the first frame, and again a second after an answer', () => {
    const clock = new ManualClock();
    const watch = new ReaderWatch(clock, 10);
    const first = watch.question();
    expect(first).not.toBeNull();
    expect(watch.question()).toBeNull();
    clock.advance(5_000);
    expect(watch.question(), 'one question at a time').toBeNull();
    watch.answered(first as string);
    expect(watch.question()).not.toBe(first);
    watch.answered('2');
    clock.advance(999);
    expect(watch.question()).toBeNull();
    clock.advance(1);
    expect(watch.question()).toBe('3');
  });

  it('calls late who has not answered for longer than is allowed, and nobody else', () => {
    const clock = new ManualClock();
    const watch = new ReaderWatch(clock, 10);
    clock.advance(60_000);
    expect(watch.late, 'nothing was asked').toBe(false);
    const question = watch.question() as string;
    clock.advance(10_000);
    expect(watch.late).toBe(false);
    clock.advance(1);
    expect(watch.late).toBe(true);
    watch.answered('another');
    watch.answered('');
    expect(watch.late).toBe(true);
    watch.answered(question);
    expect(watch.late).toBe(false);
    clock.advance(60_000);
    expect(watch.late, 'a pause of ours is no lateness of the reader').toBe(false);
  });
});
