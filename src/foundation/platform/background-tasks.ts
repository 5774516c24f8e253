import type { Clock } from './clock.ts';

export interface TaskTimes {
  /** The interval lies between a run's end and the next one's start: runs never overlap. */
  readonly everyMs: number;
  readonly firstMs?: number;
}

export interface RepeatingTask {
  stop(): Promise<void>;
}

export interface FailedRun {
  readonly task: string;
  readonly error: Error;
  /** Runs that failed since the last one that succeeded. */
  readonly failures: number;
}

export interface BackgroundTasksOptions {
  readonly clock: Clock;
  readonly onFailure?: (run: FailedRun) => void;
  readonly onRecovery?: (task: string) => void;
}

export interface TaskState {
  readonly task: string;
  readonly failures: number;
  readonly failingSinceMs: number | null;
}

/** A failed run of a task with a long interval is repeated after this time, then after twice as long each time. */
const FIRST_RETRY_MS = 5_000;

/** Owns the repeating tasks of a process: their errors, retries, states and end. */
export class BackgroundTasks {
  readonly #options: BackgroundTasksOptions;
  readonly #running = new Set<SupervisedTask>();

  constructor(options: BackgroundTasksOptions) {
    this.#options = options;
  }

  repeat(name: string, run: () => Promise<void>, times: TaskTimes): RepeatingTask {
    const task = new SupervisedTask(this.#options, name, run, times);
    this.#running.add(task);
    return {
      stop: () => {
        this.#running.delete(task);
        return task.stop();
      },
    };
  }

  /** Several tasks of one name (one for each peer, for example) are one state, that of the worst. */
  states(): TaskState[] {
    const worst = new Map<string, TaskState>();
    for (const { state } of this.#running)
      if (state.failures >= (worst.get(state.task)?.failures ?? 0)) worst.set(state.task, state);
    return [...worst.values()].sort((a, b) => a.task.localeCompare(b.task));
  }

  /** Stops the tasks that still run, the last started first, and waits for their runs to end. */
  async stop(): Promise<void> {
    const rest = [...this.#running].reverse();
    this.#running.clear();
    for (const task of rest) await task.stop();
  }
}

class SupervisedTask {
  readonly #options: BackgroundTasksOptions;
  readonly #name: string;
  readonly #run: () => Promise<void>;
  readonly #everyMs: number;
  #failures = 0;
  #failingSinceMs: number | null = null;
  #isStopped = false;
  #cancel = () => {};
  #underWay = Promise.resolve();

  constructor(
    options: BackgroundTasksOptions,
    name: string,
    run: () => Promise<void>,
    { everyMs, firstMs = everyMs }: TaskTimes,
  ) {
    this.#options = options;
    this.#name = name;
    this.#run = run;
    this.#everyMs = everyMs;
    if (firstMs === 0) this.#begin();
    else this.#wait(firstMs);
  }

  get state(): TaskState {
    return { task: this.#name, failures: this.#failures, failingSinceMs: this.#failingSinceMs };
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    return this.#underWay;
  }

  #wait(ms: number): void {
    if (!this.#isStopped) this.#cancel = this.#options.clock.after(ms, () => this.#begin());
  }

  #begin(): void {
    this.#underWay = this.#run()
      .then(
        () => this.#succeeded(),
        (error: Error) => this.#failed(error),
      )
      .finally(() => this.#wait(this.#nextMs()));
  }

  #nextMs(): number {
    return this.#failures === 0
      ? this.#everyMs
      : Math.min(this.#everyMs, FIRST_RETRY_MS * 2 ** (this.#failures - 1));
  }

  #succeeded(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#failingSinceMs = null;
    this.#options.onRecovery?.(this.#name);
  }

  #failed(error: Error): void {
    this.#failures += 1;
    this.#failingSinceMs ??= this.#options.clock.now();
    this.#options.onFailure?.({ task: this.#name, error, failures: this.#failures });
  }
}
