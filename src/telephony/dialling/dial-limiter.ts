import { type Kysely, sql } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Tables } from '../../foundation/storage/index.ts';
import { acrossTenants, type Storage } from '../../foundation/storage/index.ts';
import type { TelephonyNumberRow } from '../../foundation/storage/tables/telephony.ts';
import type { CallCosts } from './call-costs.ts';
import { numberBehind } from './dial-targets.ts';
import { readSettings } from './number-settings.ts';
import { countryOf } from './phone-numbers.ts';

export interface DialLimits {
  /** The countries that may be called (ISO 3166). */
  readonly countries: readonly string[];
  /** The limit holds per organization. */
  readonly callsAMinute: number;
  readonly concurrent: number;
  /** The limit in minutes per UTC day and organization; null leaves it to the credit. */
  readonly minutesADay: number | null;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;
/** The constant is arbitrary: it is the first half of an advisory lock whose second half is the organization. */
const LOCK_CLASS = 728_194;

const startOfDay = (now: number): number => now - (now % DAY_MS);

/**
 * Limits against toll fraud. They are checked before each dial and each transfer by the carrier.
 */
export class DialLimiter {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #limits: DialLimits;
  readonly #costs: Pick<CallCosts, 'ofNumber'>;

  constructor(storage: Storage, clock: Clock, limits: DialLimits, costs: Pick<CallCosts, 'ofNumber'>) {
    this.#storage = storage;
    this.#clock = clock;
    this.#limits = limits;
    this.#costs = costs;
  }

  /**
   * Checks every target of a call, a transfer or a forward, in any format: throws ApiError for an invalid target, and
   * for a country that calls may not go to.
   */
  checkTarget(to: string, param = 'to'): void {
    const number = numberBehind(to, param);
    if (number === null) return;
    const country = countryOf(number);
    if (country !== null && this.#limits.countries.includes(country)) return;
    const message = `Calls to ${country ?? 'this number'} are not allowed. This server allows: ${this.#limits.countries.join(', ')}.`;
    throw new ApiError('destination_not_allowed', message, { param });
  }

  async check(scope: TenantScope, number: TelephonyNumberRow): Promise<void> {
    await this.#checkCounts(this.#storage.db, scope);
    const now = this.#clock.now();
    await this.#checkNumber(scope, number, startOfDay(now), now);
  }

  /**
   * Runs in the transaction that claims a call, at read committed: the nodes take the organization's lock in turn, so
   * that each counts the claims of the one before. Throws ApiError as `check` does.
   */
  async checkInClaim(trx: Trx, scope: TenantScope): Promise<void> {
    if (this.#storage.dialect === 'postgres')
      await sql`select pg_advisory_xact_lock(${LOCK_CLASS}::int, hashtext(${scope.org}))`.execute(trx);
    await this.#checkCounts(trx, scope);
  }

  async #checkCounts(db: Kysely<Tables>, { org }: TenantScope): Promise<void> {
    const { callsAMinute, concurrent, minutesADay } = this.#limits;
    const now = this.#clock.now();
    if ((await this.#dialedSince(db, org, now - MINUTE_MS)) >= callsAMinute) {
      const message = `The organization can dial at most ${callsAMinute} calls per minute.`;
      throw new ApiError('rate_limit_exceeded', message, { retryAfter: 10 });
    }
    if ((await this.#live(db, org)) >= concurrent) {
      const message = `The organization has reached its limit of ${concurrent} concurrent outbound calls; dial again when one has ended.`;
      throw new ApiError('concurrency_limit_exceeded', message, { retryAfter: 10 });
    }
    const today = startOfDay(now);
    if (minutesADay !== null && (await this.#minutesSince(db, org, today)) >= minutesADay) {
      const message = `The organization has used its ${minutesADay} minutes of outbound calls for this UTC day.`;
      throw new ApiError('daily_cap_exceeded', message, {
        retryAfter: Math.ceil((today + DAY_MS - now) / 1000),
      });
    }
  }

  /** Returns how many more calls the organization may dial now. Calls that are queued and due count as dialed. */
  async remainingCapacity(scope: TenantScope): Promise<number> {
    const { callsAMinute, concurrent } = this.#limits;
    const now = this.#clock.now();
    const { db } = this.#storage;
    const { count } = await acrossTenants(db)
      .selectFrom('telephony_calls')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('org_id', '=', scope.org)
      .where('state', '=', 'queued')
      .where('dialed_at', 'is', null)
      .where(({ eb, or }) => or([eb('scheduled_at', 'is', null), eb('scheduled_at', '<=', now)]))
      .executeTakeFirstOrThrow();
    const dialed = await this.#dialedSince(db, scope.org, now - MINUTE_MS);
    const live = await this.#live(db, scope.org);
    return Math.max(0, Math.min(callsAMinute - dialed, concurrent - live) - Number(count));
  }

  async #checkNumber(
    scope: TenantScope,
    number: TelephonyNumberRow,
    today: number,
    now: number,
  ): Promise<void> {
    const { daily_spend_micros: most } = readSettings(number.settings);
    if (most === null) return;
    if ((await this.#costs.ofNumber(scope, number.id, today, now)) <= BigInt(most)) return;
    const message = 'The number has reached its spending limit for this UTC day (daily_spend_micros).';
    throw new ApiError('daily_cap_exceeded', message, {
      retryAfter: Math.ceil((today + DAY_MS - now) / 1000),
    });
  }

  /** A transfer by the carrier counts as a further dialed call. */
  async #dialedSince(db: Kysely<Tables>, org: string, since: number): Promise<number> {
    const { dialed, transferred } = await acrossTenants(db)
      .selectFrom('telephony_calls')
      .select(({ fn, case: when }) => [
        fn.sum<number>(when().when('dialed_at', '>', since).then(1).else(0).end()).as('dialed'),
        fn.sum<number>(when().when('transferred_at', '>', since).then(1).else(0).end()).as('transferred'),
      ])
      .where('org_id', '=', org)
      .where(({ eb, or }) => or([eb('dialed_at', '>', since), eb('transferred_at', '>', since)]))
      .executeTakeFirstOrThrow();
    return Number(dialed ?? 0) + Number(transferred ?? 0);
  }

  async #live(db: Kysely<Tables>, org: string): Promise<number> {
    const { dialed, transferred } = await acrossTenants(db)
      .selectFrom('telephony_calls')
      .select(({ fn }) => [
        fn.count<number>('dialed_at').as('dialed'),
        fn.count<number>('transferred_at').as('transferred'),
      ])
      .where('org_id', '=', org)
      .where('state', '!=', 'ended')
      .executeTakeFirstOrThrow();
    return Number(dialed) + Number(transferred);
  }

  async #minutesSince(db: Kysely<Tables>, org: string, since: number): Promise<number> {
    const { minutes } = await acrossTenants(db)
      .selectFrom('telephony_calls')
      .select((eb) => eb.fn.sum<number>('billed_minutes').as('minutes'))
      .where('org_id', '=', org)
      .where(({ eb, or }) => or([eb('dialed_at', '>=', since), eb('transferred_at', '>=', since)]))
      .executeTakeFirstOrThrow();
    return Number(minutes ?? 0);
  }
}
