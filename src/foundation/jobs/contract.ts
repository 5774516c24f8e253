import type { Transaction } from 'kysely';
import type { Tables, TransactionOptions } from '../storage/index.ts';

export type Trx = Transaction<Tables>;

/** Live work comes first, then work that a customer waits for, then sweeps and imports. */
export const JOB_PRIORITY = { live: 0, normal: 5, background: 9 } as const;

export interface JobToEnqueue {
  readonly id: string;
  readonly queue: string;
  /**
   * Tenants of a queue are served round robin. Tenants whose names share the part before the first space form a
   * group, and groups are served round robin first.
   */
  readonly tenant: string;
  readonly payload: unknown;
  readonly priority?: number;
  /** It is in Unix milliseconds; the default is now. */
  readonly runAt?: number;
  readonly maxAttempts?: number;
}

export interface JobSnapshot {
  readonly id: string;
  readonly queue: string;
  readonly tenant: string;
  readonly state: 'waiting' | 'running' | 'dead';
  readonly attempts: number;
  readonly runAt: number;
  readonly progress: number;
  readonly lastError: string | null;
  readonly payload: unknown;
  readonly createdAt: number;
}

/** Every write of a job goes through a transaction that checks its lease. */
export interface RunningJob {
  readonly id: string;
  readonly tenant: string;
  readonly payload: unknown;
  /** It is 1 for the first attempt since the last checkpoint. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /**
   * Stores completed progress; later attempts count from here. It throws after the write where the job is preempted,
   * and the job continues from here later.
   */
  checkpoint(progress: number, store: (transaction: Trx) => Promise<void>): Promise<void>;
  complete(store: (transaction: Trx) => Promise<void>, options?: TransactionOptions): Promise<void>;
  postpone(runAt: number, store: (transaction: Trx) => Promise<void>): Promise<void>;
}

export interface JobDefinition {
  readonly queue: string;
  readonly concurrency: number;
  /** The jobs contact people or servers outside, so they wait on a quiet server. */
  readonly isOutbound?: boolean;
  readonly perTenant?: number;
  readonly perGroup?: number;
  /**
   * A job yields at a checkpoint and continues later when a tenant without a running job waits: after this time, or
   * at once if its own tenant has others. The default is never.
   */
  readonly timeSliceMs?: number;
  readonly leaseMs: number;
  /**
   * The job is dead after this many consecutive lost workers without progress. The job is rarely the cause (restarts,
   * power cuts), so the bound exceeds that of failed attempts. The default is 20.
   */
  readonly maxLosses?: number;
  /**
   * Returns after `complete` or `postpone`. A throw retries the job; `PermanentError` makes it dead at once. `signal`
   * aborts when the job is cancelled, its lease is lost or the server drains.
   */
  readonly run: (job: RunningJob, signal: AbortSignal) => Promise<void>;
  readonly onDead?: (transaction: Trx, job: DeadJob) => Promise<void>;
  readonly onRevived?: (transaction: Trx, job: DeadJob) => Promise<void>;
  readonly backoffMs?: (attempt: number) => number;
  readonly lossWaitMs?: (losses: number) => number;
}

export interface DeadJob {
  readonly id: string;
  readonly tenant: string;
  readonly payload: unknown;
  readonly reason: string;
  readonly cause: unknown;
}

export class PermanentError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PermanentError';
  }
}

/** Another worker has the job, or it was cancelled: this attempt must store nothing more. */
export class LeaseLostError extends Error {
  constructor(id: string) {
    super(`The lease of ${id} was lost.`);
    this.name = 'LeaseLostError';
  }
}

export type StopReason = 'cancelled' | 'lease_lost' | 'draining' | 'made_room';

export class StopError extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The job must stop: ${reason}.`);
    this.name = 'StopError';
    this.reason = reason;
  }
}
