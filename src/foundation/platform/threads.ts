import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ApiError } from './errors.ts';
import { FairSemaphore, TooManyWaitingError } from './fair-semaphore.ts';
import { compiledProgram } from './project-root.ts';
import type { ThreadAnswer, ThreadTask } from './thread.ts';

const PROGRAM = compiledProgram(import.meta.url, 'foundation/platform', 'thread.js');
const MAX_THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));
const MAX_WAITING_PER_TENANT = 20;
/** The largest valid input takes a second or two to read; a busy machine gives the thread only part of a core. */
const LONGEST_MS = 15_000;
const LIMITS = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 };

export interface ThreadRunOptions {
  readonly tenant: string;
  readonly transfer?: readonly ArrayBuffer[];
}

/** The thread runs one order after another. It never keeps the process alive. */
class TaskThread {
  readonly #worker = new Worker(PROGRAM, { execArgv: [], env: {}, resourceLimits: LIMITS });
  #waiting: { resolve(answer: ThreadAnswer): void; reject(error: Error): void } | null = null;
  ended = false;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', (answer: ThreadAnswer) => {
      this.#worker.unref();
      this.#waiting?.resolve(answer);
      this.#waiting = null;
    });
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('a thread has ended')));
  }

  async carryOut(order: ThreadTask, transfer: readonly ArrayBuffer[]): Promise<unknown> {
    this.#worker.ref();
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      void this.#worker.terminate();
    }, LONGEST_MS);
    try {
      const answer = await new Promise<ThreadAnswer>((resolve, reject) => {
        this.#waiting = { resolve, reject };
        this.#worker.postMessage(order, [...transfer]);
      });
      if ('failed' in answer) throw Object.assign(new Error(answer.failed), { stack: answer.stack });
      return answer.value;
    } catch (cause) {
      if (!isLate && (cause as { code?: unknown }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw cause;
      const message = 'Reading the input exceeded the limit of time or memory; send less at once.';
      throw new ApiError('invalid_request', message, { cause });
    } finally {
      clearTimeout(late);
    }
  }

  #end(error: Error): void {
    this.ended = true;
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}

const threadSlots = new FairSemaphore({ permits: MAX_THREADS, maxWaitingPerTenant: MAX_WAITING_PER_TENANT });
const idle: TaskThread[] = [];

/**
 * Runs work whose cost depends on untrusted input on a worker thread, so that the event loop is not blocked.
 * `program` is a compiled module, `task` its exported function. An error of the task is thrown here with its message.
 */
export async function runInThread<T>(
  program: string,
  task: string,
  input: unknown,
  { tenant, transfer = [] }: ThreadRunOptions,
): Promise<T> {
  let leave: () => void;
  try {
    leave = await threadSlots.acquire(tenant);
  } catch (cause) {
    if (!(cause instanceof TooManyWaitingError)) throw cause;
    const message = 'As much of yours waits to be read as may; try again in a moment.';
    throw new ApiError('rate_limit_exceeded', message, { retryAfter: 1, cause });
  }
  const thread = idle.pop() ?? new TaskThread();
  try {
    return (await thread.carryOut({ program, task, input }, transfer)) as T;
  } finally {
    if (!thread.ended) idle.push(thread);
    leave();
  }
}
