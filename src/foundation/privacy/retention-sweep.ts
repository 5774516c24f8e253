import type { ExpressionBuilder, SelectQueryBuilder, Updateable, UpdateQueryBuilder } from 'kysely';
import { type RetentionDays, type TenantScope, tenantScopeOfRow } from '../access/index.ts';
import { appendAuditRecord, SYSTEM_ACTOR } from '../audit/index.ts';
import type { BackgroundTasks, RepeatingTask } from '../platform/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import { acrossTenants, type EveryTable, type Storage } from '../storage/index.ts';
import type { TenantTableName } from '../storage/tables/index.ts';

const DAY_MS = 24 * 3600 * 1000;
const EVERY_MS = 3600 * 1000;
/** The first run is early, because a node may be restarted more often than hourly. */
const FIRST_MS = 5 * 60_000;
const AT_ONCE = 200;

type ColumnOf<T extends TenantTableName> = keyof EveryTable[T] & string;

export interface RetentionRule<T extends TenantTableName> {
  readonly table: T;
  readonly counted: string;
  readonly policy?: 'transcript' | 'jobAudio' | 'recording';
  readonly since?: ColumnOf<T>;
  /** The columns identify a row; `id` by default. A legal hold refers to the first of them. */
  readonly key?: readonly ColumnOf<T>[];
  /** The row is part of the record in this column: a legal hold on that record keeps the row. */
  readonly partOf?: ColumnOf<T>;
  readonly whereRemaining?: readonly [column: ColumnOf<T>, is: 'is' | 'is not', nothing: null];
  readonly whereEnded?: readonly [column: ColumnOf<T>, is: 'in' | '!=', value: string | readonly string[]];
  readonly update?: (now: number) => Updateable<EveryTable[T]>;
  /** Removes one row, or its expired part; the row must not match again. */
  readonly remove?: (scope: TenantScope, ...key: string[]) => Promise<void>;
}

export type AnyRetentionRule = RetentionRule<never>;
export const retentionRule = <T extends TenantTableName>(rows: RetentionRule<T>): AnyRetentionRule =>
  rows as unknown as AnyRetentionRule;

export interface RetentionSweepOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly background: BackgroundTasks;
}

type Rows = Record<string, Record<string, unknown>>;
type Untyped = SelectQueryBuilder<Rows, string, object>;
type Within = ExpressionBuilder<Rows, string>;
interface Found extends Readonly<Record<string, string>> {
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: TenantScope['environment'];
}

/** Removes expired data except under a legal hold, and records it in each organization's audit log. */
export class RetentionSweep {
  readonly #deps: RetentionSweepOptions;
  readonly #expiring: readonly RetentionRule<TenantTableName>[];
  readonly #after: () => Promise<void>;
  #sweeping: RepeatingTask | null = null;

  constructor(
    deps: RetentionSweepOptions,
    rows: readonly AnyRetentionRule[],
    after: () => Promise<void> = async () => {},
  ) {
    this.#deps = deps;
    this.#expiring = rows as unknown as readonly RetentionRule<TenantTableName>[];
    this.#after = after;
  }

  start(): void {
    const counted = this.#expiring.map((rows) => rows.counted).join(', ');
    const times = { everyMs: EVERY_MS, firstMs: FIRST_MS };
    this.#sweeping = this.#deps.background.repeat(`retention: ${counted}`, () => this.sweep(), times);
  }

  async stop(): Promise<void> {
    await this.#sweeping?.stop();
  }

  async sweep(): Promise<void> {
    const went = new Map<string, Record<string, number>>();
    for (const rows of this.#expiring) {
      for (let org = await this.#nextOrg(rows, ''); org !== null; org = await this.#nextOrg(rows, org)) {
        const removed = await this.#sweepOrg(rows, org);
        if (removed > 0) went.set(org, { ...went.get(org), [rows.counted]: removed });
      }
    }
    await this.#after();
    const { storage, clock } = this.#deps;
    if (went.size > 0) await storage.scrub();
    for (const [orgId, after] of went) {
      const deed = { orgId, by: SYSTEM_ACTOR, action: 'retention.swept', target: orgId, before: null, after };
      await storage.transaction((trx) => appendAuditRecord(trx, clock.now(), deed));
    }
  }

  async #sweepOrg(rows: RetentionRule<TenantTableName>, org: string): Promise<number> {
    const { retention, clock } = this.#deps;
    const before = clock.now() - (await retention(org))[rows.policy ?? 'transcript'] * DAY_MS;
    let removed = 0;
    for (;;) {
      const found = await this.#found(rows, org, before);
      await this.#remove(rows, found);
      removed += found.length;
      if (found.length < AT_ONCE) return removed;
    }
  }

  async #nextOrg(rows: RetentionRule<TenantTableName>, after: string): Promise<string | null> {
    const row = await this.#rows(rows)
      .select('org_id')
      .where('org_id', '>', after)
      .orderBy('org_id')
      .limit(1)
      .executeTakeFirst();
    return (row as Found | undefined)?.org_id ?? null;
  }

  async #found(rows: RetentionRule<TenantTableName>, org: string, before: number): Promise<Found[]> {
    const { since = 'created_at', key = ['id'], partOf } = rows;
    let due = this.#rows(rows)
      .select([...key, 'org_id', 'project_id', 'environment'])
      .where('org_id', '=', org)
      .where(since, '<=', before);
    for (const record of partOf === undefined ? [key[0] as string] : [key[0] as string, partOf])
      due = due.where(record, 'not in', (held: Within) => held.selectFrom('legal_holds').select('record'));
    const found = await due.orderBy(since).limit(AT_ONCE).execute();
    return found as Found[];
  }

  #rows({ table, whereRemaining, whereEnded }: RetentionRule<TenantTableName>): Untyped {
    const all = acrossTenants(this.#deps.storage.db).selectFrom(table) as unknown as Untyped;
    const some = whereRemaining === undefined ? all : all.where(...whereRemaining);
    return whereEnded === undefined ? some : some.where(...whereEnded);
  }

  async #remove(rows: RetentionRule<TenantTableName>, found: readonly Found[]): Promise<void> {
    if (found.length === 0) return;
    const { table, update, remove, key = ['id'] } = rows;
    if (remove !== undefined) {
      for (const row of found)
        await remove(tenantScopeOfRow(row), ...key.map((column) => row[column] as string));
      return;
    }
    const { storage, clock } = this.#deps;
    const ids = found.map(({ id }) => id as string);
    const db = acrossTenants(storage.db);
    if (update === undefined)
      await db
        .deleteFrom(table as 'messages')
        .where('id', 'in', ids)
        .execute();
    else {
      const query = db.updateTable(table as 'messages') as unknown as UpdateQueryBuilder<
        EveryTable,
        'messages',
        'messages',
        unknown
      >;
      await query
        .set(update(clock.now()) as object)
        .where('id', 'in', ids)
        .execute();
    }
  }
}
