import type { TenantScope } from '../access/contract.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, NoSuchError } from '../platform/errors.ts';
import { type Storage, withinTenant } from '../storage/index.ts';
import type { LegalHoldLookup, PersonalDataStore } from './contract.ts';

export interface LegalHold {
  readonly record: string;
  readonly reason: string;
  readonly placedAt: number;
}

const AT_ONCE = 500;

/** No erasure, request or sweep removes records under a legal hold until it is released. */
export class LegalHolds implements LegalHoldLookup {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #stores: readonly Pick<PersonalDataStore, 'has'>[];

  constructor(storage: Storage, clock: Clock, stores: readonly Pick<PersonalDataStore, 'has'>[]) {
    this.#storage = storage;
    this.#clock = clock;
    this.#stores = stores;
  }

  async place(scope: TenantScope, record: string, reason: string, by: AuditActor): Promise<LegalHold> {
    const owners = await Promise.all(this.#stores.map((store) => store.has(scope, record)));
    if (!owners.includes(true)) throw new NoSuchError('record');
    const placed_at = this.#clock.now();
    await this.#storage.transaction(async (trx) => {
      await withinTenant(trx, scope).deleteFrom('legal_holds').where('record', '=', record).execute();
      await withinTenant(trx, scope).insertInto('legal_holds', { record, reason, placed_at }).execute();
      await appendAuditRecord(trx, placed_at, {
        ...auditScope(scope),
        by,
        action: 'legal_hold.placed',
        target: record,
        before: null,
        after: { reason },
      });
    });
    return { record, reason, placedAt: placed_at };
  }

  async release(scope: TenantScope, record: string, by: AuditActor): Promise<void> {
    await this.#storage.transaction(async (trx) => {
      const { numDeletedRows } = await withinTenant(trx, scope)
        .deleteFrom('legal_holds')
        .where('record', '=', record)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new ApiError('not_found', 'There is no legal hold on such a record.');
      await appendAuditRecord(trx, this.#clock.now(), {
        ...auditScope(scope),
        by,
        action: 'legal_hold.released',
        target: record,
        before: null,
        after: null,
      });
    });
  }

  async list(scope: TenantScope): Promise<LegalHold[]> {
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('legal_holds')
      .select(['record', 'reason', 'placed_at'])
      .orderBy('placed_at')
      .orderBy('record')
      .execute();
    return rows.map(({ record, reason, placed_at }) => ({ record, reason, placedAt: Number(placed_at) }));
  }

  async among(scope: TenantScope, records: readonly string[]): Promise<ReadonlySet<string>> {
    const held = new Set<string>();
    for (let from = 0; from < records.length; from += AT_ONCE) {
      const rows = await withinTenant(this.#storage.db, scope)
        .selectFrom('legal_holds')
        .select('record')
        .where('record', 'in', records.slice(from, from + AT_ONCE))
        .execute();
      for (const { record } of rows) held.add(record);
    }
    return held;
  }
}
