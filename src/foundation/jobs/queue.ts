import type { Kysely } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Storage, Tables } from '../storage/index.ts';
import type { JobRow } from '../storage/tables/jobs.ts';
import type { JobDefinition, JobSnapshot, JobToEnqueue, Trx } from './contract.ts';
import { cancelTopic, deadJobOf, waitingRow, wakeTopic } from './rows.ts';
import { JobWorker, type JobWorkerOptions } from './worker.ts';

const snapshotOf = (row: JobRow): JobSnapshot => ({
  id: row.id,
  queue: row.queue,
  tenant: row.tenant,
  state: row.state,
  attempts: row.attempts,
  runAt: row.run_at,
  progress: row.progress / 1000,
  lastError: row.last_error,
  payload: JSON.parse(row.payload),
  createdAt: row.created_at,
});

export interface DeadJobPage {
  readonly jobs: readonly JobSnapshot[];
  readonly next: string | null;
}

/**
 * Jobs are durable. Enqueueing happens in the caller's transaction, and a job's outcome is stored in the transaction
 * that ends it, so neither exists without the other.
 */
export class JobQueue {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #quiet: boolean;
  readonly #definitions = new Map<string, JobDefinition>();

  constructor(storage: Storage, clock: Clock, { quiet = false }: { readonly quiet?: boolean } = {}) {
    this.#storage = storage;
    this.#clock = clock;
    this.#quiet = quiet;
  }

  async enqueue(transaction: Trx, job: JobToEnqueue): Promise<void> {
    await transaction.insertInto('jobs').values(waitingRow(job, this.#clock.now())).execute();
    await this.#storage.notify(wakeTopic(job.queue), '', transaction);
  }

  /** Enqueues a job in place of the one that has its id, if any. A run of the replaced job can store nothing more. */
  async replace(transaction: Trx, job: JobToEnqueue): Promise<void> {
    await transaction.deleteFrom('jobs').where('id', '=', job.id).execute();
    await this.enqueue(transaction, job);
  }

  /** Removes a waiting or dead job at once. A running one can store nothing more, and its worker stops it. */
  async cancel(transaction: Trx, id: string): Promise<'removed' | 'stopping' | 'unknown'> {
    const marked = await transaction
      .updateTable('jobs')
      .set({ cancel_requested: 1 })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .returning('queue')
      .executeTakeFirst();
    if (marked) {
      await this.#storage.notify(cancelTopic(marked.queue), id, transaction);
      return 'stopping';
    }
    const removed = await transaction
      .deleteFrom('jobs')
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    return removed ? 'removed' : 'unknown';
  }

  async reschedule(transaction: Trx, id: string, runAt: number): Promise<boolean> {
    const moved = await transaction
      .updateTable('jobs')
      .set({ run_at: runAt, attempts: 0, losses: 0 })
      .where('id', '=', id)
      .where('state', '=', 'waiting')
      .returning('queue')
      .executeTakeFirst();
    if (moved) await this.#storage.notify(wakeTopic(moved.queue), '', transaction);
    return moved !== undefined;
  }

  async view(db: Kysely<Tables>, id: string): Promise<JobSnapshot | null> {
    const row = await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
    return row ? snapshotOf(row) : null;
  }

  /** Lists dead jobs in the order of their ids, which is not chronological. */
  async dead(queue: string | null, limit: number, after: string | null): Promise<DeadJobPage> {
    let query = this.#storage.db.selectFrom('jobs').selectAll().where('state', '=', 'dead');
    if (queue !== null) query = query.where('queue', '=', queue);
    if (after !== null) query = query.where('id', '>', after);
    const rows = await query.orderBy('id').limit(limit).execute();
    return { jobs: rows.map(snapshotOf), next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
  }

  async retry(id: string): Promise<boolean> {
    return await this.#storage.transaction(async (transaction) => {
      const row = await transaction
        .updateTable('jobs')
        .set({ state: 'waiting', attempts: 0, losses: 0, run_at: this.#clock.now(), cancel_requested: 0 })
        .where('id', '=', id)
        .where('state', '=', 'dead')
        .returningAll()
        .executeTakeFirst();
      if (!row) return false;
      const job = deadJobOf(row, row.last_error ?? '', null);
      await this.#definitions.get(row.queue)?.onRevived?.(transaction, job);
      await this.#storage.notify(wakeTopic(row.queue), '', transaction);
      return true;
    });
  }

  async depths(): Promise<readonly { queue: string; state: string; jobs: number }[]> {
    return await this.#storage.db
      .selectFrom('jobs')
      .select(['queue', 'state'])
      .select((eb) => eb.fn.countAll<number>().as('jobs'))
      .groupBy(['queue', 'state'])
      .execute();
  }

  /** Registers the queue, so that its dead jobs can be revived, without a worker for it. */
  define(definition: JobDefinition): void {
    this.#definitions.set(definition.queue, definition);
  }

  startWorker(definition: JobDefinition, options: JobWorkerOptions = {}): JobWorker {
    this.define(definition);
    const paused = this.#quiet && definition.isOutbound === true;
    return new JobWorker(this.#storage, this.#clock, definition, { ...options, paused });
  }
}
