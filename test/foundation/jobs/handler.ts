import { EventEmitter, once } from 'node:events';
import { type JobDefinition, JobQueue, type RunningJob } from '../../../src/foundation/jobs/index.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import type { Databases } from '../storage/databases.ts';

export const QUEUE = 'work';

export class Handler {
  readonly started: RunningJob[] = [];
  readonly dead: string[] = [];
  readonly #events = new EventEmitter();
  readonly definition: JobDefinition;
  settle = new Map<string, { resolve: () => void; reject: (error: Error) => void; signal: AbortSignal }>();

  constructor(more: Partial<JobDefinition> = {}) {
    this.definition = {
      queue: QUEUE,
      concurrency: 1,
      leaseMs: 30_000,
      run: (job, signal) => {
        const done = new Promise<void>((resolve, reject) => {
          this.settle.set(job.id, { resolve, reject, signal });
          signal.addEventListener('abort', () => reject(signal.reason));
        });
        this.started.push(job);
        this.#events.emit('started');
        return done;
      },
      onDead: async (_trx, job) => {
        this.dead.push(`${job.id}: ${job.reason}`);
      },
      ...more,
    };
  }

  async startedCount(count: number): Promise<void> {
    while (this.started.length < count) await once(this.#events, 'started');
  }

  async completeLast(): Promise<void> {
    const job = this.started.at(-1)!;
    await job.complete(async () => {});
    this.settle.get(job.id)!.resolve();
  }

  failLast(error: Error): void {
    this.settle.get(this.started.at(-1)!.id)!.reject(error);
  }
}

export const enqueue = (storage: Storage, queue: JobQueue, id: string, more = {}) =>
  storage.transaction((trx) =>
    queue.enqueue(trx, { id, queue: QUEUE, tenant: 'a', payload: { id }, ...more }),
  );

export async function setup({ open }: Databases) {
  const storage = await open();
  const clock = new ManualClock();
  return { storage, clock, queue: new JobQueue(storage, clock) };
}

export const rows = async (storage: Storage) =>
  (
    await storage.db.selectFrom('jobs').select(['id', 'state', 'attempts', 'run_at']).orderBy('id').execute()
  ).map(({ id, state, attempts, run_at }) => ({ id, state, attempts, run_at: Number(run_at) }));
