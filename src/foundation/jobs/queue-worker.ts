import type { JobDefinition } from './contract.ts';
import type { JobQueue } from './queue.ts';
import type { JobWorker, JobWorkerOptions } from './worker.ts';

export interface QueueWorkerOptions {
  readonly queue: JobQueue;
  readonly onError?: JobWorkerOptions['onError'] | undefined;
}

/** Defines its queue when it is made, so that jobs can be added, and works them from `start` to `stop`. */
export abstract class QueueWorker {
  readonly #options: QueueWorkerOptions;
  #worker: JobWorker | null = null;

  constructor(options: QueueWorkerOptions) {
    this.#options = options;
    options.queue.define(this.definition());
  }

  /** Called before the constructor of the class ends: what it returns may use the class's fields only later. */
  protected abstract definition(): JobDefinition;

  start(): void {
    const { queue, onError } = this.#options;
    this.#worker = queue.startWorker(this.definition(), onError ? { onError } : {});
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#worker?.stop(deadlineMs);
  }
}
