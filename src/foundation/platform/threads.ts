import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ApiError } from './errors.ts';
import { FairTurns, TooManyWaiting } from './fair-turns.ts';
import { compiledProgram } from './project-root.ts';
import type { ThreadAnswer, ThreadOrder } from './thread.ts';

const PROGRAM = compiledProgram(import.meta.url, 'foundation/platform', 'thread.js');
const AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1));
/** Of one tenant; its next is refused. */
const MOST_WAITING = 20;
/** The worst that a surface takes is read in a second or two; a busy machine gives a thread a part of a core. */
const LONGEST_MS = 60_000;
const LIMITS = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 };

export interface ApartOptions {
  /** Whose work it is: tenants take turns. */
  readonly tenant: string;
  /** Buffers that are handed over instead of copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** A thread that carries out one order after another. It never keeps the process alive by itself. */
class Thread {
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

  async carryOut(order: ThreadOrder, transfer: readonly ArrayBuffer[]): Promise<unknown> {
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
      const message = 'What was sent takes more time or memory to read than it may.';
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

const turns = new FairTurns({ atOnce: AT_ONCE, waitingEach: MOST_WAITING });
const idle: Thread[] = [];

/**
 * Work that is proportional to a stranger's bytes, on a thread of its own: the event loop, which serves everybody, goes on. `program`
 * is a compiled module of a room, `task` the function that it exports. What that throws is thrown here, as an Error of its message.
 */
export async function runApart<T>(
  program: string,
  task: string,
  input: unknown,
  { tenant, transfer = [] }: ApartOptions,
): Promise<T> {
  let leave: () => void;
  try {
    leave = await turns.enter(tenant);
  } catch (cause) {
    if (!(cause instanceof TooManyWaiting)) throw cause;
    const message = 'As much of yours waits to be read as may; try again in a moment.';
    throw new ApiError('rate_limit_exceeded', message, { retryAfter: 1, cause });
  }
  const thread = idle.pop() ?? new Thread();
  try {
    return (await thread.carryOut({ program, task, input }, transfer)) as T;
  } finally {
    if (!thread.ended) idle.push(thread);
    leave();
  }
}
