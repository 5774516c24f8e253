import { describe, expect, it } from 'vitest';
import { repeatEvery } from '../../../src/foundation/platform/repeat.ts';
import { ManualClock } from './manual-clock.ts';

class Runs {
  begun = 0;
  #end: ((error?: Error) => void)[] = [];

  readonly task = (): Promise<void> => {
    this.begun += 1;
    return new Promise((resolve, reject) => {
      this.#end.push((error) => (error ? reject(error) : resolve()));
    });
  };

  async end(error?: Error): Promise<void> {
    this.#end.shift()?.(error);
    await new Promise(setImmediate);
  }
}

describe('repeat', () => {
  it('begins after the first wait, then as long after each end, never two at once', async () => {
    const clock = new ManualClock();
    const runs = new Runs();
    repeatEvery(clock, runs.task, { everyMs: 100, firstMs: 10 });
    clock.advance(9);
    expect(runs.begun).toBe(0);
    clock.advance(1);
    expect(runs.begun).toBe(1);
    clock.advance(1000);
    expect(runs.begun).toBe(1);
    await runs.end();
    clock.advance(99);
    expect(runs.begun).toBe(1);
    clock.advance(1);
    expect(runs.begun).toBe(2);
  });

  it('begins at once where the first wait is none, and waits the whole time where none is given', () => {
    const clock = new ManualClock();
    const [atOnce, later] = [new Runs(), new Runs()];
    repeatEvery(clock, atOnce.task, { everyMs: 100, firstMs: 0 });
    repeatEvery(clock, later.task, { everyMs: 100 });
    expect([atOnce.begun, later.begun]).toEqual([1, 0]);
    clock.advance(100);
    expect([atOnce.begun, later.begun]).toEqual([1, 1]);
  });

  it('tells of a run that failed and goes on', async () => {
    const clock = new ManualClock();
    const runs = new Runs();
    const reported: string[] = [];
    repeatEvery(clock, runs.task, { everyMs: 100, onError: (error) => reported.push(error.message) });
    clock.advance(100);
    await runs.end(new Error('no database'));
    expect(reported).toEqual(['no database']);
    clock.advance(100);
    expect(runs.begun).toBe(2);
  });

  it('begins none after it was stopped, not even when the stop came during a run, and tells when that has ended', async () => {
    const clock = new ManualClock();
    const runs = new Runs();
    const waiting = repeatEvery(clock, runs.task, { everyMs: 100 });
    await waiting.stop();
    clock.advance(1000);
    expect(runs.begun).toBe(0);

    const running = repeatEvery(clock, runs.task, { everyMs: 100, firstMs: 0 });
    let ended = false;
    const stopping = running.stop().then(() => {
      ended = true;
    });
    await new Promise(setImmediate);
    expect(ended).toBe(false);
    await runs.end();
    await stopping;
    clock.advance(1000);
    expect([runs.begun, clock.timers]).toEqual([1, 0]);
  });
});
