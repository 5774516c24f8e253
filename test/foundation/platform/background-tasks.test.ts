import { describe, expect, it } from 'vitest';
import { BackgroundTasks, type TaskTimes } from '../../../src/foundation/platform/background-tasks.ts';
import { ManualClock } from './manual-clock.ts';

const repeatEvery = (clock: ManualClock, task: () => Promise<void>, times: TaskTimes) =>
  new BackgroundTasks({ clock }).repeat('a task', task, times);

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

describe('background tasks', () => {
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

  it('reports each failed run, retries a rare task soon, and reports that it succeeds again', async () => {
    const clock = new ManualClock();
    const runs = new Runs();
    const reported: string[] = [];
    const tasks = new BackgroundTasks({
      clock,
      onFailure: ({ task, error, failures }) => reported.push(`${task}: ${error.message}, ${failures}`),
      onRecovery: (task) => reported.push(`${task} succeeds`),
    });
    tasks.repeat('old rows', runs.task, { everyMs: 12_000 });
    clock.advance(12_000);
    await runs.end(new Error('no database'));
    const since = clock.now();
    expect(tasks.states()).toEqual([{ task: 'old rows', failures: 1, failingSinceMs: since }]);
    for (const wait of [5_000, 10_000, 12_000]) {
      clock.advance(wait - 1);
      const { begun } = runs;
      clock.advance(1);
      expect(runs.begun).toBe(begun + 1);
      await runs.end(new Error('no database'));
    }
    expect(tasks.states()).toEqual([{ task: 'old rows', failures: 4, failingSinceMs: since }]);
    clock.advance(12_000);
    await runs.end();
    expect(tasks.states()).toEqual([{ task: 'old rows', failures: 0, failingSinceMs: null }]);
    const failed = [1, 2, 3, 4].map((failures) => `old rows: no database, ${failures}`);
    expect(reported).toEqual([...failed, 'old rows succeeds']);
    clock.advance(11_999);
    const { begun } = runs;
    clock.advance(1);
    expect(runs.begun).toBe(begun + 1);
  });

  it('repeats a frequent task that fails no later than its interval', async () => {
    const clock = new ManualClock();
    const runs = new Runs();
    repeatEvery(clock, runs.task, { everyMs: 100 });
    for (let run = 1; run <= 4; run++) {
      clock.advance(100);
      expect(runs.begun).toBe(run);
      await runs.end(new Error('no database'));
    }
  });

  it('shows tasks of one name as one, the one that fails most, and no task that was stopped', async () => {
    const clock = new ManualClock();
    const [bad, good] = [new Runs(), new Runs()];
    const tasks = new BackgroundTasks({ clock });
    const failing = tasks.repeat('leases', bad.task, { everyMs: 100, firstMs: 0 });
    tasks.repeat('leases', good.task, { everyMs: 100, firstMs: 0 });
    await bad.end(new Error('no database'));
    await good.end();
    expect(tasks.states()).toEqual([{ task: 'leases', failures: 1, failingSinceMs: clock.now() }]);
    await failing.stop();
    expect(tasks.states()).toEqual([{ task: 'leases', failures: 0, failingSinceMs: null }]);
  });

  it('ends every task with the process, the last started first, and waits for their runs', async () => {
    const clock = new ManualClock();
    const [one, other] = [new Runs(), new Runs()];
    const tasks = new BackgroundTasks({ clock });
    tasks.repeat('one', one.task, { everyMs: 100, firstMs: 0 });
    tasks.repeat('other', other.task, { everyMs: 100 });
    let ended = false;
    const stopping = tasks.stop().then(() => {
      ended = true;
    });
    await new Promise(setImmediate);
    expect(ended).toBe(false);
    await one.end();
    await stopping;
    clock.advance(1000);
    expect([one.begun, other.begun, clock.timers]).toEqual([1, 0, 0]);
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
