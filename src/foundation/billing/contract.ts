import type { Transaction } from 'kysely';
import type { Tables } from '../storage/tables/index.ts';
import type { Environment } from '../tenancy/index.ts';
import type { BilledUse } from './metering.ts';

export type { BilledUse, MeteredUse } from './metering.ts';

export interface BillingAccount {
  readonly orgId: string;
  readonly projectId: string;
  readonly keyId: string | null;
  readonly environment: Environment;
}

export interface UsageEvent extends BillingAccount {
  /** Unique for the thing that happened, not for the attempt: recording it twice bills once. */
  readonly id: string;
  /** The row of the metering table; it says which meter. */
  readonly use: BilledUse;
  /** Exact milliseconds of audio, a whole number; for `amd` the answered call counts as one and this is 0.
   * `telephony`: one event a call, because each call is rounded up to whole minutes by itself. */
  readonly milliseconds: number;
  /** Answered calls of `amd`, written answers and texts of `messages`; 0 for the other meters. With 0 milliseconds too, nothing is recorded: empty is free. */
  readonly count: number;
  /** Counted but free: `amd` on a call that is already billed as telephony or omni. */
  readonly bundled?: boolean;
  /** The job, call or request that it comes from. */
  readonly resource: string;
  readonly occurredAt: number;
  /** The hold that it was reserved under: what is recorded is held no more. */
  readonly reservationId?: string | null;
}

export interface CreditStatus {
  /** Credit less everything billed and everything used in the months not yet invoiced. */
  readonly balanceMicros: bigint;
  /** The open reservations would cost this on top of what was used. */
  readonly reservedMicros: bigint;
  /** The key has used this in the current UTC month, at list price. */
  readonly keyMonthMicros: bigint;
  /** Metered audio of the organization in this environment: this UTC day and month. */
  readonly dayMilliseconds: number;
  readonly monthMilliseconds: number;
  readonly reservedMilliseconds: number;
}

export interface CreditStatusQuery {
  readonly orgId: string;
  readonly keyId: string | null;
  readonly environment: Environment;
}

/** A cap of null does not limit. */
export interface UsageCaps {
  readonly dailyUnits: number | null;
  readonly quotaUnits: number | null;
  readonly budgetMicros: number | null;
}

/** Milliseconds of audio, or calls. */
export interface UsageAmount {
  readonly milliseconds: number;
  readonly count: number;
}

export interface ReservationRequest extends BillingAccount {
  /** Held under this id; what was held under it before is replaced. */
  readonly id: string;
  readonly use: BilledUse;
  /** Less than this is refused. */
  readonly least: UsageAmount;
  /** The reservation covers as much of this as credit and caps allow. */
  readonly wanted: UsageAmount;
  readonly caps: UsageCaps;
  /** New work is also refused while too much usage waits to be recorded; running work goes on. */
  readonly begins: boolean;
  readonly resource: string;
  /** Nothing is held any more when this has passed, whatever became of who held it. */
  readonly leaseMs: number;
}

/** The first cap that has no room, in the order in which they are told. */
export type ExhaustedLimit = 'daily_cap' | 'quota' | 'budget' | 'credit';

export type CreditReservationOutcome =
  | { readonly held: UsageAmount; readonly obstacle: null }
  | { readonly held: null; readonly obstacle: ExhaustedLimit };

/** It runs in the transaction of a usage event and must be idempotent. */
export type UsageSideWrite = (transaction: Transaction<Tables>) => Promise<void>;

export interface Billing {
  /** Writes the event in the caller's transaction, the one that records the result it bills. */
  recordUsage(transaction: Transaction<Tables>, event: UsageEvent): Promise<void>;
  /** For what was served already, so that no error can take it back: writes the event now or, where the database takes
   * nothing for a while, as soon as it does. */
  recordServedUsage(event: UsageEvent, alongside?: UsageSideWrite): Promise<void>;
  creditStatus(query: CreditStatusQuery): Promise<CreditStatus>;
  /** Reserves before work, in a transaction of its own that all nodes take turns in for one organization. */
  reserve(request: ReservationRequest): Promise<CreditReservationOutcome>;
  /** Puts the leases of holds forward whose holder lives. */
  renewReservations(ids: readonly string[], leaseMs: number): Promise<void>;
  /** Extends the reservation of work that outlives its admission, such as a job in its queue. */
  extendReservation(transaction: Transaction<Tables>, id: string, leaseMs: number): Promise<void>;
  /** Gives back what is still held. With a transaction: when that commits. */
  releaseReservation(reservationId: string, transaction?: Transaction<Tables>): Promise<void>;
}
