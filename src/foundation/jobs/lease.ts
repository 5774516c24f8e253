import type { Storage, TransactionOptions } from '../storage/index.ts';
import type { JobRow } from '../storage/tables/jobs.ts';
import type { RunningJob, StopReason, Trx } from './contract.ts';
import { StopError } from './contract.ts';
import { requireLease } from './rows.ts';

const notRunning = { worker: null, lease_until: null } as const;

export class Lease implements RunningJob {
  readonly id: string;
  readonly tenant: string;
  readonly payload: unknown;
  readonly row: JobRow;
  readonly #storage: Storage;
  readonly #abort = new AbortController();
  #attempt: number;
  #settled = false;
  #wantedBack = false;

  constructor(row: JobRow, storage: Storage) {
    this.id = row.id;
    this.tenant = row.tenant;
    this.payload = JSON.parse(row.payload);
    this.row = row;
    this.#storage = storage;
    this.#attempt = row.attempts;
  }

  get attempt(): number {
    return this.#attempt;
  }

  get maxAttempts(): number {
    return this.row.max_attempts;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get settled(): boolean {
    return this.#settled;
  }

  get stopReason(): StopReason | null {
    const reason: unknown = this.#abort.signal.reason;
    return reason instanceof StopError ? reason.reason : null;
  }

  stop(reason: StopReason): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(new StopError(reason));
  }

  get isPreemptionRequested(): boolean {
    return this.#wantedBack;
  }

  requestPreemption(): void {
    this.#wantedBack = true;
  }

  async checkpoint(progress: number, store: (transaction: Trx) => Promise<void>): Promise<void> {
    const wantedBack = this.#wantedBack;
    const state = wantedBack
      ? ({ ...notRunning, state: 'waiting', attempts: 0 } as const)
      : ({ attempts: 1 } as const);
    await this.#storage.transaction(async (transaction) => {
      await requireLease(transaction, this.id, this.row.fence);
      await transaction
        .updateTable('jobs')
        .set({ ...state, losses: 0, progress: Math.round(Math.min(1, Math.max(0, progress)) * 1000) })
        .where('id', '=', this.id)
        .execute();
      await store(transaction);
    });
    this.#attempt = 1;
    if (!wantedBack) return;
    this.#settled = true;
    this.stop('made_room');
    throw new StopError('made_room');
  }

  async complete(store: (transaction: Trx) => Promise<void>, options?: TransactionOptions): Promise<void> {
    await this.#storage.transaction(async (transaction) => {
      await requireLease(transaction, this.id, this.row.fence);
      await transaction.deleteFrom('jobs').where('id', '=', this.id).execute();
      await store(transaction);
    }, options);
    this.#settled = true;
  }

  async postpone(runAt: number, store: (transaction: Trx) => Promise<void>): Promise<void> {
    await this.#storage.transaction(async (transaction) => {
      await requireLease(transaction, this.id, this.row.fence);
      await transaction
        .updateTable('jobs')
        .set({ ...notRunning, state: 'waiting', run_at: runAt, attempts: 0, losses: 0 })
        .where('id', '=', this.id)
        .execute();
      await store(transaction);
    });
    this.#settled = true;
  }
}
