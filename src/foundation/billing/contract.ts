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
  /** The id identifies the use, not the attempt: recording it twice bills once. */
  readonly id: string;
  readonly use: BilledUse;
  /**
   * The value is exact milliseconds of audio, an integer; it is 0 for `amd`, which counts answered calls. `telephony`
   * has one event for each call, because each call is rounded up to whole minutes on its own.
   */
  readonly milliseconds: number;
  /**
   * It counts answered calls of `amd`, and written answers and texts of `messages`; other meters have 0. An event
   * with 0 milliseconds too is not recorded.
   */
  readonly count: number;
  /** The use counts but is free: `amd` on a call that is billed as telephony or omni. */
  readonly bundled?: boolean;
  readonly resource: string;
  readonly occurredAt: number;
  readonly reservationId?: string | null;
}

export interface CreditStatus {
  /** The balance is the credit less everything billed and everything used in the months not yet invoiced. */
  readonly balanceMicros: bigint;
  readonly reservedMicros: bigint;
  readonly keyMonthMicros: bigint;
  readonly dayMilliseconds: number;
  readonly monthMilliseconds: number;
  readonly reservedMilliseconds: number;
}

export interface CreditStatusQuery {
  readonly orgId: string;
  readonly keyId: string | null;
  readonly environment: Environment;
}

/** Null means no cap. */
export interface UsageCaps {
  readonly dailyUnits: number | null;
  readonly quotaUnits: number | null;
  readonly budgetMicros: number | null;
}

export interface UsageAmount {
  readonly milliseconds: number;
  readonly count: number;
}

export interface ReservationRequest extends BillingAccount {
  readonly id: string;
  readonly use: BilledUse;
  readonly least: UsageAmount;
  readonly wanted: UsageAmount;
  readonly caps: UsageCaps;
  /** New work is also refused while too much usage waits to be recorded; running work continues. */
  readonly begins: boolean;
  readonly resource: string;
  readonly leaseMs: number;
}

export type ExhaustedLimit = 'daily_cap' | 'quota' | 'budget' | 'credit';

export type CreditReservationOutcome =
  | { readonly held: UsageAmount; readonly obstacle: null }
  | { readonly held: null; readonly obstacle: ExhaustedLimit };

export type UsageSideWrite = (transaction: Transaction<Tables>) => Promise<void>;

export interface Billing {
  recordUsage(transaction: Transaction<Tables>, event: UsageEvent): Promise<void>;
  /**
   * Records use that was already served, so no error can undo it. It writes the event now, or as soon as the database
   * accepts writes again.
   */
  recordServedUsage(event: UsageEvent, alongside?: UsageSideWrite): Promise<void>;
  creditStatus(query: CreditStatusQuery): Promise<CreditStatus>;
  /**
   * Reserves before the work starts, in its own transaction. Reservations of one organization are serialized over all
   * nodes.
   */
  reserve(request: ReservationRequest): Promise<CreditReservationOutcome>;
  renewReservations(ids: readonly string[], leaseMs: number): Promise<void>;
  /** Extends the reservation of work that outlives its admission, such as a job in its queue. */
  extendReservation(transaction: Transaction<Tables>, id: string, leaseMs: number): Promise<void>;
  releaseReservation(reservationId: string, transaction?: Transaction<Tables>): Promise<void>;
}
