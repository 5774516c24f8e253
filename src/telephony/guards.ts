import type { Reach } from '../access/contract.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { acrossBorders, type Storage, within } from '../storage/index.ts';
import type { TelephonyNumberRow } from '../storage/tables/telephony.ts';
import { readSettings } from './number-settings.ts';
import { countryOf } from './phone-numbers.ts';

export interface GuardLimits {
  /** Countries that may be called (ISO 3166). */
  readonly countries: readonly string[];
  /** Of one organization. */
  readonly callsAMinute: number;
  readonly concurrent: number;
  /** Minutes of one organization in a UTC day; null: as many as its credit pays. */
  readonly minutesADay: number | null;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3600 * 1000;
/** List price of a minute of telephony, in millionths. */
const MINUTE_MICROS = 10_000;

/** Guards against toll fraud: asked before each call is dialed, whoever asks for it. */
export class Guards {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #limits: GuardLimits;

  constructor(storage: Storage, clock: Clock, limits: GuardLimits) {
    this.#storage = storage;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Throws ApiError for a country that is not called from here. */
  checkCountry(to: string): void {
    const country = countryOf(to);
    if (country !== null && this.#limits.countries.includes(country)) return;
    const message = `Calls to ${country ?? 'this number'} are not allowed here; TRUNKLINE_DIAL_COUNTRIES lists what is.`;
    throw new ApiError('destination_not_allowed', message, { param: 'to' });
  }

  /** Throws ApiError where the organization dials too often, too much at once, or more than it may spend. */
  async check(reach: Reach, number: TelephonyNumberRow): Promise<void> {
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
    await this.#checkNumber(reach, number, today);
  }

  async #checkNumber(reach: Reach, number: TelephonyNumberRow, today: number): Promise<void> {
    const { daily_spend_micros: most } = readSettings(number.settings);
    if (most === null) return;
    const { minutes } = await within(this.#storage.db, reach)
      .selectFrom('telephony_calls')
      .select((eb) => eb.fn.sum<number>('billed_minutes').as('minutes'))
      .where('number_id', '=', number.id)
      .where('created_at', '>=', today)
      .executeTakeFirstOrThrow();
    if ((Number(minutes ?? 0) + 1) * MINUTE_MICROS <= most) return;
    const message = 'The number has spent what its settings allow in a UTC day (daily_spend_micros).';
    throw new ApiError('daily_cap_exceeded', message, { retryAfter: 3600 });
  }

  async #dialedSince(org: string, since: number): Promise<number> {
    const { count } = await acrossBorders(this.#storage.db)
      .selectFrom('telephony_calls')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('org_id', '=', org)
      .where('dialed_at', '>', since)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async #live(org: string): Promise<number> {
    const { count } = await acrossBorders(this.#storage.db)
      .selectFrom('telephony_calls')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('org_id', '=', org)
      .where('dialed_at', 'is not', null)
      .where('state', '!=', 'ended')
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async #minutesSince(org: string, since: number): Promise<number> {
    const { minutes } = await acrossBorders(this.#storage.db)
      .selectFrom('telephony_calls')
      .select((eb) => eb.fn.sum<number>('billed_minutes').as('minutes'))
      .where('org_id', '=', org)
      .where('dialed_at', '>=', since)
      .executeTakeFirstOrThrow();
    return Number(minutes ?? 0);
  }
}
