import type { Transaction } from 'kysely';
import type { Tables, TransactionOptions } from '../storage/index.ts';

export type Trx = Transaction<Tables>;

/** Live work first; what a customer waits for next; sweeps and imports last. */
export const JOB_PRIORITY = { live: 0, normal: 5, background: 9 } as const;

export interface JobToEnqueue {
  readonly id: string;
  readonly queue: string;
  /**
   * Tenants of a queue take turns. Those whose names begin alike up to a space are a group, and groups take
   * turns before their tenants do.
   */
  readonly tenant: string;
  readonly payload: unknown;
  readonly priority?: number;
  /** Unix ms; default: now. */
  readonly runAt?: number;
  /** Tries in a row that fail without progress until the job is dead. */
  readonly maxAttempts?: number;
}

export interface JobSnapshot {
  readonly id: string;
  readonly queue: string;
  readonly tenant: string;
  readonly state: 'waiting' | 'running' | 'dead';
  readonly attempts: number;
  readonly runAt: number;
  /** 0..1. */
  readonly progress: number;
  readonly lastError: string | null;
  readonly payload: unknown;
  readonly createdAt: number;
}

/** A job in a worker's hands. Everything that it records goes through a transaction that proves the lease. */
export interface RunningJob {
  readonly id: string;
  readonly tenant: string;
  readonly payload: unknown;
  /** 1 for the first try since the last checkpoint. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Stores a step that need not be done again: later tries are counted from here. Where somebody else's turn has come
   * it throws then, the step being stored: the job goes on from here when it has a hand again. */
  checkpoint(progress: number, store: (transaction: Trx) => Promise<void>): Promise<void>;
  /** Stores the outcome and ends the job, both or neither. */
  complete(store: (transaction: Trx) => Promise<void>, options?: TransactionOptions): Promise<void>;
  /** Puts the job back until `runAt`, as a part of its plan and not as a fault. */
  postpone(runAt: number, store: (transaction: Trx) => Promise<void>): Promise<void>;
}

export interface JobDefinition {
  readonly queue: string;
  readonly concurrency: number;
  /** Its jobs reach people and servers outside: they wait on a quiet server. */
  readonly isOutbound?: boolean;
  /** Most jobs of one tenant that run at a time, over all nodes; default: no bound. */
  readonly perTenant?: number;
  /** The same of one group of tenants. */
  readonly perGroup?: number;
  /** A job gives its hand back at a checkpoint, and goes on later, where somebody waits who has none: after so long, or
   * at once where its tenant has others. Default: never. */
  readonly timeSliceMs?: number;
  /** A worker that says nothing for this long has lost its jobs. */
  readonly leaseMs: number;
  /** Workers that may vanish in a row with a job in their hands, without any progress, until it is dead. Most often the
   * job is not why (a restart, a power cut), so this is more than the tries that may fail. Default: 20. */
  readonly maxLosses?: number;
  /** Returns after `complete` or `postpone`; throws to be tried again, `PermanentError` to die at once. `signal`
   * says stop: cancelled, lease lost or the server drains. */
  readonly run: (job: RunningJob, signal: AbortSignal) => Promise<void>;
  /** Runs in the transaction that makes the job dead, to record its terminal state. */
  readonly onDead?: (transaction: Trx, job: DeadJob) => Promise<void>;
  /** Runs in the transaction that revives a dead job. */
  readonly onRevived?: (transaction: Trx, job: DeadJob) => Promise<void>;
  readonly backoffMs?: (attempt: number) => number;
  /** How long a job waits after so many vanished workers in a row. */
  readonly lossWaitMs?: (losses: number) => number;
}

export interface DeadJob {
  readonly id: string;
  readonly tenant: string;
  readonly payload: unknown;
  readonly reason: string;
  readonly cause: unknown;
}

/** Trying again would not help. */
export class PermanentError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PermanentError';
  }
}

/** The job is another worker's now, or was cancelled: nothing of this try may be stored. */
export class LeaseLostError extends Error {
  constructor(id: string) {
    super(`The lease of ${id} is lost.`);
    this.name = 'LeaseLostError';
  }
}

/** Why a running job's signal fired. */
export type StopReason = 'cancelled' | 'lease_lost' | 'draining' | 'made_room';

export class StopError extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The job must stop: ${reason}.`);
    this.name = 'StopError';
    this.reason = reason;
  }
}
