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
  /** Exact milliseconds of audio, a whole number; for `amd` the answered call counts as one and this is 0.
   * `telephony`: one event a call, because each call is rounded up to whole minutes by itself. */
  readonly milliseconds: number;
  /** Answered calls of `amd`; 0 for the other meters. With 0 milliseconds too, nothing is recorded: empty is free. */
  readonly count: number;
  /** Counted but free: `amd` on a call that is already billed as telephony or omni. */
  readonly bundled?: boolean;
  /** The job, call or request that it comes from. */
  readonly resource: string;
  readonly occurredAt: number;
}

/** What the caps, the budget and the credit gate look at. */
export interface Standing {
  /** Credit less everything billed and everything used in the months not yet invoiced. */
  readonly balanceMicros: bigint;
  /** What the key has used this UTC month, at list price. */
  readonly keyMonthMicros: bigint;
  /** Metered audio of the organization in this environment: this UTC day and month. */
  readonly dayMilliseconds: number;
  readonly monthMilliseconds: number;
  /** What `pendingMilliseconds` more on `meter` would cost now; 0 inside a free allowance. */
  readonly pendingMicros: bigint;
  /** What `alsoPending` would cost on top of that. */
  readonly alsoPendingMicros: bigint;
  /** What `alsoPendingOfKey` would cost on top of the key's month. */
  readonly keyAlsoPendingMicros: bigint;
  /** The meter costs nothing now (a free allowance is left): it needs no credit. */
  readonly free: boolean;
}

export interface StandingQuery {
  readonly orgId: string;
  readonly keyId: string | null;
  readonly environment: Environment;
  readonly meter: Meter;
  /** Used and not yet recorded. */
  readonly pendingMilliseconds: number;
  /** The same of the organization's other live sessions, by meter. */
  readonly alsoPending?: ReadonlyMap<Meter, number>;
  /** The part of it that the same key's sessions have used. */
  readonly alsoPendingOfKey?: ReadonlyMap<Meter, number>;
}

export interface Billing {
  /** Writes the event in the caller's transaction, the one that records the result it bills. */
  record(transaction: Transaction<Tables>, event: UsageEvent): Promise<void>;
  standing(query: StandingQuery): Promise<Standing>;
}
