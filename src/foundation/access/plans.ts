import { type AuditActor, appendAuditRecord, SYSTEM_ACTOR } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { FileOwner, Storage } from '../storage/index.ts';
import type { PlanRow } from '../storage/tables/access.ts';
import type { PlanLimits } from './contract.ts';

export const planLimitsOf = (row: PlanRow): PlanLimits => ({
  rps: row.rps,
  burst: row.burst,
  concurrency: row.concurrency,
  dailyCapUnits: row.daily_cap_units,
  quotaUnits: row.quota_units,
  syncUpload: { bytes: row.sync_upload_bytes, seconds: row.sync_upload_seconds },
  jobUpload: { bytes: row.job_upload_bytes, seconds: row.job_upload_seconds },
  storageBytes: row.storage_bytes,
  numbersMax: row.numbers_max,
});

export type PlanChange = Partial<Omit<PlanRow, 'id'>>;

/** A new plan inherits unset limits from this plan. */
const NEW_PLAN_DEFAULTS = 'standard';
const DEPLOYMENT_SCOPE = '';
export const SANDBOX_PLAN = 'sandbox';

export class Plans {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async storageOf({ orgId, environment }: FileOwner): Promise<number | null> {
    const row = await this.#storage.db
      .selectFrom('plans as p')
      .innerJoin('organizations as o', (join) =>
        environment === 'sandbox' ? join.onTrue() : join.onRef('o.plan', '=', 'p.id'),
      )
      .select('p.storage_bytes')
      .where('o.id', '=', orgId)
      .$if(environment === 'sandbox', (query) => query.where('p.id', '=', SANDBOX_PLAN))
      .executeTakeFirst();
    return row?.storage_bytes == null ? null : Number(row.storage_bytes);
  }

  list(): Promise<PlanRow[]> {
    return this.#storage.db.selectFrom('plans').selectAll().orderBy('id').execute();
  }

  async put(id: string, change: PlanChange, by: AuditActor = SYSTEM_ACTOR): Promise<PlanRow> {
    return await this.#storage.transaction(async (transaction) => {
      const rows = await transaction
        .selectFrom('plans')
        .selectAll()
        .where('id', 'in', [id, NEW_PLAN_DEFAULTS])
        .execute();
      const known = rows.find((row) => row.id === id) ?? null;
      const base = known ?? (rows.find((row) => row.id === NEW_PLAN_DEFAULTS) as PlanRow);
      const row = { ...base, ...change, id };
      const { id: _, ...columns } = row;
      await transaction
        .insertInto('plans')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
        .execute();
      await appendAuditRecord(transaction, this.#clock.now(), {
        orgId: DEPLOYMENT_SCOPE,
        by,
        action: known === null ? 'plan.created' : 'plan.changed',
        target: id,
        before: known && { ...known },
        after: row,
      });
      return row;
    });
  }
}
