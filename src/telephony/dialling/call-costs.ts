import { type RawBuilder, sql } from 'kysely';
import { usageIdOf } from '../../conversation/calls/index.ts';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { UsageEventCosts } from '../../foundation/billing/index.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { TelephonyCallRow } from '../../foundation/storage/tables/telephony.ts';

/** The cost of a call so far. Unused meters are absent. */
export interface CallCost {
  readonly micros: number;
  readonly meters: Readonly<Record<string, number>>;
}

const MINUTE_MS = 60_000;
type OpenCall = Pick<TelephonyCallRow, 'answered_at' | 'omni_call_id'>;

export class CallCosts {
  readonly #storage: Storage;
  readonly #events: UsageEventCosts;

  constructor(storage: Storage, events: UsageEventCosts) {
    this.#storage = storage;
    this.#events = events;
  }

  async of(rows: readonly TelephonyCallRow[]): Promise<ReadonlyMap<string, CallCost>> {
    const costs = await this.#events.each(rows.flatMap(eventsOf));
    return new Map(
      rows.map((row) => {
        const meters: Record<string, number> = {};
        for (const id of eventsOf(row)) {
          const cost = costs.get(id);
          if (cost !== undefined) meters[cost.meter] = (meters[cost.meter] ?? 0) + Number(cost.micros);
        }
        const micros = Object.values(meters).reduce((sum, one) => sum + one, 0);
        return [row.id, { micros, meters }];
      }),
    );
  }

  /**
   * Sums the costs of the number's calls since then: those that were dialed since, whenever they were placed, and
   * incoming ones. A live call counts with its duration so far, at least a minute, and the next call as a minute.
   */
  async ofNumber(scope: TenantScope, numberId: string, since: number, now: number): Promise<bigint> {
    const ofNumber = () =>
      withinTenant(this.#storage.db, scope).selectFrom('telephony_calls').where('number_id', '=', numberId);
    // Each of the two has an index; SQLite uses none where one condition is an alternative of the other.
    const dialed = () => ofNumber().where('dialed_at', '>=', since);
    const incoming = () => ofNumber().where('dialed_at', 'is', null).where('created_at', '>=', since);
    const live = await dialed()
      .select(['answered_at', 'omni_call_id'])
      .where('state', '!=', 'ended')
      .execute();
    const events = (suffix: RawBuilder<string>) => {
      const id = sql<string>`'use_' || ${suffix}`.as('id');
      return dialed().select(id).unionAll(incoming().select(id));
    };
    const lines = events(sql`substr(id, 5)`);
    const talks = events(sql`omni_call_id`);
    const spent = [await this.#events.sum(lines, since), await this.#events.sum(talks, since)];
    const minute = await this.#events.callMicros('telephony', MINUTE_MS, since);
    const open = await Promise.all(live.map((row) => this.#open(row, now)));
    return [...spent.flatMap((costs) => [...costs.values()]), ...open].reduce(
      (sum, one) => sum + one,
      minute,
    );
  }

  async #open(call: OpenCall, now: number): Promise<bigint> {
    const lasted = call.answered_at === null ? 0 : Math.max(0, now - Number(call.answered_at));
    const line = await this.#events.callMicros('telephony', Math.max(MINUTE_MS, lasted), now);
    return call.omni_call_id === null ? line : line + (await this.#events.callMicros('omni', lasted, now));
  }
}

const eventsOf = ({ id, omni_call_id: talk }: TelephonyCallRow): string[] =>
  talk === null ? [usageIdOf(id)] : [usageIdOf(id), usageIdOf(talk)];
