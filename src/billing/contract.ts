import type { Transaction } from 'kysely';
import type { Environment, Meter } from '../access/contract.ts';
import type { Tables } from '../storage/tables/index.ts';

export interface UsageEvent {
  /** Unique for the thing that happened, not for the attempt: recording it twice bills once. */
  readonly id: string;
  readonly meter: Meter;
  readonly orgId: string;
  readonly projectId: string;
  readonly keyId: string | null;
  readonly environment: Environment;
  /** Exact milliseconds of audio; for `amd` the answered call counts as one and this is 0. */
  readonly milliseconds: number;
  readonly count: number;
  /** The job, call or request that it comes from. */
  readonly resource: string;
  readonly occurredAt: number;
}

export interface Billing {
  /** Writes the event in the caller's transaction, the one that records the result it bills. */
  record(transaction: Transaction<Tables>, event: UsageEvent): Promise<void>;
}
