import type { Clock } from './clock.ts';

export interface RepeatOptions {
  /** The interval lies between a run's end and the next one's start: runs never overlap. */
  readonly everyMs: number;
  readonly firstMs?: number;
  readonly onError?: ((error: Error) => void) | undefined;
}

export interface RepeatingTask {
  stop(): Promise<void>;
}

export function repeatEvery(clock: Clock, task: () => Promise<void>, options: RepeatOptions): RepeatingTask {
  let stopped = false;
  let cancel = () => {};
  let underWay = Promise.resolve();
  const wait = (ms: number) => {
    if (!stopped) cancel = clock.after(ms, run);
  };
  const run = () => {
    underWay = task()
      .catch((error: Error) => options.onError?.(error))
      .finally(() => wait(options.everyMs));
  };
  if (options.firstMs === 0) run();
  else wait(options.firstMs ?? options.everyMs);
  return {
    stop: () => {
      stopped = true;
      cancel();
      return underWay;
    },
  };
}
