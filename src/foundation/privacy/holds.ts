import type { Reach } from '../access/contract.ts';
import { type Doer, record as recordDeed } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { type Storage, within } from '../storage/index.ts';
import type { Holding, Holds } from './contract.ts';

export interface LegalHold {
  readonly record: string;
  readonly reason: string;
  readonly placedAt: number;
}

/** SQLite takes so many values in a statement without asking. */
const AT_ONCE = 500;

const place = (reach: Reach) => ({ projectId: reach.project, environment: reach.environment });

/** Records that no erasure, request or sweep removes until they are released. */
export class LegalHolds implements Holds {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #holdings: readonly Pick<Holding, 'has'>[];

  constructor(storage: Storage, clock: Clock, holdings: readonly Pick<Holding, 'has'>[]) {
    this.#storage = storage;
    this.#clock = clock;
    this.#holdings = holdings;
  }

  async place(reach: Reach, record: string, reason: string, by: Doer): Promise<LegalHold> {
    const owners = await Promise.all(this.#holdings.map((holding) => holding.has(reach, record)));
    if (!owners.includes(true)) throw new ApiError('not_found', 'There is no such record.');
    const placed_at = this.#clock.now();
    await this.#storage.transaction(async (trx) => {
      await within(trx, reach).deleteFrom('legal_holds').where('record', '=', record).execute();
      await within(trx, reach).insertInto('legal_holds', { record, reason, placed_at }).execute();
      await recordDeed(trx, placed_at, {
        orgId: reach.org,
        place: place(reach),
        by,
        action: 'legal_hold.placed',
        target: record,
        before: null,
        after: { reason },
      });
    });
    return { record, reason, placedAt: placed_at };
  }

  async release(reach: Reach, record: string, by: Doer): Promise<void> {
    await this.#storage.transaction(async (trx) => {
      const { numDeletedRows } = await within(trx, reach)
        .deleteFrom('legal_holds')
        .where('record', '=', record)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new ApiError('not_found', 'There is no legal hold on such a record.');
      await recordDeed(trx, this.#clock.now(), {
        orgId: reach.org,
        place: place(reach),
        by,
        action: 'legal_hold.released',
        target: record,
        before: null,
        after: null,
      });
    });
  }

  async list(reach: Reach): Promise<LegalHold[]> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('legal_holds')
      .select(['record', 'reason', 'placed_at'])
      .orderBy('placed_at')
      .orderBy('record')
      .execute();
    return rows.map(({ record, reason, placed_at }) => ({ record, reason, placedAt: Number(placed_at) }));
  }

  async among(reach: Reach, records: readonly string[]): Promise<ReadonlySet<string>> {
    const held = new Set<string>();
    for (let from = 0; from < records.length; from += AT_ONCE) {
      const rows = await within(this.#storage.db, reach)
        .selectFrom('legal_holds')
        .select('record')
        .where('record', 'in', records.slice(from, from + AT_ONCE))
        .execute();
      for (const { record } of rows) held.add(record);
    }
    return held;
  }
}
