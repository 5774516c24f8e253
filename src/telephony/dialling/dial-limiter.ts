import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { acrossTenants, type Storage } from '../../foundation/storage/index.ts';
import type { TelephonyNumberRow } from '../../foundation/storage/tables/telephony.ts';
import type { CallCosts } from './call-costs.ts';
import { numberBehind } from './dial-targets.ts';
import { readSettings } from './number-settings.ts';
import { countryOf } from './phone-numbers.ts';

export interface DialLimits {
  /** Countries that may be called (ISO 3166). */
  readonly countries: readonly string[];
  /** Of one organization. */
  readonly callsAMinute: number;
  readonly concurrent: number;
  /** Minutes of one organization in a UTC day; null: as many as its credit pays. */
  readonly minutesADay: number | null;
}

/** A call that its carrier connects with somebody else is one more that goes out. */
type Dialed = 'dialed_at' | 'transferred_at';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;

/** Guards against toll fraud: asked before each call is dialed or handed on by its carrier, whoever asks for it. */
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

  /** Of every target of a call, a transfer or a forward, in whatever writing: throws ApiError for what is no target, and for a
   * country that is not called from here. */
  checkTarget(to: string, param = 'to'): void {
    const number = numberBehind(to, param);
    if (number === null) return;
    const country = countryOf(number);
    if (country !== null && this.#limits.countries.includes(country)) return;
    const message = `Calls to ${country ?? 'this number'} are not allowed here; TRUNKLINE_DIAL_COUNTRIES lists what is.`;
    throw new ApiError('destination_not_allowed', message, { param });
  }

  /** Throws ApiError where the organization dials too often, too much at once, or more than it may spend. */
  async check(reach: TenantScope, number: TelephonyNumberRow): Promise<void> {
    const { callsAMinute, concurrent, minutesADay } = this.#limits;
    const now = this.#clock.now();
    if ((await this.#dialedSince(reach.org, now - MINUTE_MS)) >= callsAMinute) {
      const message = `The organization dials ${callsAMinute} calls a minute at most.`;
      throw new ApiError('rate_limit_exceeded', message, { retryAfter: 10 });
    }
    if ((await this.#live(reach.org)) >= concurrent) {
      const message = `The organization has ${concurrent} calls out at once at most.`;
      throw new ApiError('concurrency_limit_exceeded', message, { retryAfter: 10 });
    }
    const today = now - (now % DAY_MS);
    if (minutesADay !== null && (await this.#minutesSince(reach.org, today)) >= minutesADay) {
      const message = `The organization has talked the ${minutesADay} minutes of this UTC day.`;
      throw new ApiError('daily_cap_exceeded', message, {
        retryAfter: Math.ceil((today + DAY_MS - now) / 1000),
      });
    }
    await this.#checkNumber(reach, number, today, now);
  }

  /** How many calls the organization may dial now, with those that are about to be. */
  async remainingCapacity(reach: TenantScope): Promise<number> {
    const { callsAMinute, concurrent } = this.#limits;
    const now = this.#clock.now();
    const { count } = await this.#calls(reach.org)
      .where('state', '=', 'queued')
      .where('dialed_at', 'is', null)
      .where(({ eb, or }) => or([eb('scheduled_at', 'is', null), eb('scheduled_at', '<=', now)]))
      .executeTakeFirstOrThrow();
    const dialed = await this.#dialedSince(reach.org, now - MINUTE_MS);
    const live = await this.#live(reach.org);
    return Math.max(0, Math.min(callsAMinute - dialed, concurrent - live) - Number(count));
  }

  async #checkNumber(
    reach: TenantScope,
    number: TelephonyNumberRow,
    today: number,
    now: number,
  ): Promise<void> {
    const { daily_spend_micros: most } = readSettings(number.settings);
    if (most === null) return;
    if ((await this.#costs.ofNumber(reach, number.id, today, now)) <= BigInt(most)) return;
    const message = 'The number has spent what its settings allow in a UTC day (daily_spend_micros).';
    throw new ApiError('daily_cap_exceeded', message, { retryAfter: 3600 });
  }

  async #dialedSince(org: string, since: number): Promise<number> {
    const dialed = (column: Dialed) => this.#calls(org).where(column, '>', since).executeTakeFirstOrThrow();
    const counts = await Promise.all([dialed('dialed_at'), dialed('transferred_at')]);
    return counts.reduce((sum, { count }) => sum + Number(count), 0);
  }

  async #live(org: string): Promise<number> {
    const live = (column: Dialed) =>
      this.#calls(org).where(column, 'is not', null).where('state', '!=', 'ended').executeTakeFirstOrThrow();
    const counts = await Promise.all([live('dialed_at'), live('transferred_at')]);
    return counts.reduce((sum, { count }) => sum + Number(count), 0);
  }

  #calls(org: string) {
    return acrossTenants(this.#storage.db)
      .selectFrom('telephony_calls')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('org_id', '=', org);
  }

  async #minutesSince(org: string, since: number): Promise<number> {
    const { minutes } = await acrossTenants(this.#storage.db)
      .selectFrom('telephony_calls')
      .select((eb) => eb.fn.sum<number>('billed_minutes').as('minutes'))
      .where('org_id', '=', org)
      .where(({ eb, or }) => or([eb('dialed_at', '>=', since), eb('transferred_at', '>=', since)]))
      .executeTakeFirstOrThrow();
    return Number(minutes ?? 0);
  }
}
