import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { TenantScope } from '../access/contract.ts';
import { type EveryTable, type Storage, type Tables, withinTenant } from '../storage/index.ts';
import type { TenantTableName } from '../storage/tables/index.ts';
import type { DataSubject, ErasureResult, LegalHoldLookup, PersonalDataStore } from './contract.ts';

type ColumnOf<T extends TenantTableName> = keyof EveryTable[T] & string;
type Counts = Readonly<Record<string, number>>;
type Other = { readonly [T in TenantTableName]?: ColumnOf<T> };

export interface PersonalDataTable<T extends TenantTableName> {
  readonly table: T;
  readonly counted: string;
  readonly named?: readonly ColumnOf<T>[];
  readonly made?: ColumnOf<T>;
  readonly whereEnded?: readonly [column: ColumnOf<T>, is: '=' | '!=', value: string];
  /** The erasure also counts rows with a value in one of the columns, such as `{transcripts: ['transcript']}`. */
  readonly kinds?: Readonly<Record<string, readonly ColumnOf<T>[]>>;
  /** These rows are records of their own that are removed with the row, by the column that refers to it. */
  readonly records?: Other;
  readonly parts?: Other;
  readonly others?: Other;
  readonly answered?: boolean;
  readonly remove?: (scope: TenantScope, id: string) => Promise<Counts>;
}

interface Row extends Readonly<Record<string, unknown>> {
  readonly id: string;
}
type Rows = Record<string, Record<string, unknown>>;
interface Named {
  selectFrom(table: string): SelectQueryBuilder<Rows, string, object>;
}

export const personalDataStoreOf = <T extends TenantTableName>(
  storage: Storage,
  rows: PersonalDataTable<T>,
): PersonalDataStore =>
  new TablePersonalDataStore(storage, rows as unknown as PersonalDataTable<TenantTableName>);

class TablePersonalDataStore implements PersonalDataStore {
  readonly #storage: Storage;
  readonly #rows: PersonalDataTable<TenantTableName>;
  readonly #named: readonly string[];

  constructor(storage: Storage, rows: PersonalDataTable<TenantTableName>) {
    this.#storage = storage;
    this.#rows = rows;
    this.#named = rows.named ?? ['external_id'];
  }

  async dataSubjectsOf(scope: TenantScope): Promise<readonly string[]> {
    const { table, others } = this.#rows;
    const own = this.#named.map((column) => [table, column] as const);
    const found = new Set<string>();
    for (const [from, column] of [...own, ...pairs(others)]) {
      const rows = await named(this.#storage.db, scope)
        .selectFrom(from)
        .select(column)
        .distinct()
        .where(column, 'is not', null)
        .execute();
      for (const row of rows as Record<string, unknown>[]) found.add(row[column] as string);
    }
    return [...found];
  }

  async has(scope: TenantScope, record: string): Promise<boolean> {
    for (const table of [this.#rows.table, ...pairs(this.#rows.records).map(([other]) => other)]) {
      const rows = named(this.#storage.db, scope).selectFrom(table).select('id');
      if ((await rows.where('id', '=', record).executeTakeFirst()) !== undefined) return true;
    }
    return false;
  }

  async erase(scope: TenantScope, person: DataSubject, holds: LegalHoldLookup): Promise<ErasureResult> {
    const found: { readonly row: Row; readonly records: readonly string[] }[] = [];
    for (const row of await this.#of(scope, person)) {
      found.push({ row, records: [row.id, ...(await this.#recordsOf(scope, row.id))] });
    }
    const held = await holds.among(
      scope,
      found.flatMap(({ records }) => records),
    );
    const gone = found.filter(({ records }) => !records.some((id) => held.has(id)));
    const counts: Record<string, number> = { [this.#rows.counted]: gone.length };
    for (const [what, columns] of Object.entries(this.#rows.kinds ?? {})) {
      counts[what] = gone.filter(({ row }) => columns.some((column) => row[column] !== null)).length;
    }
    for (const { row } of gone) add(counts, await this.#remove(scope, row.id));
    add(counts, await this.#removeOthers(scope, person.externalId));
    return { counts, records: gone.flatMap(({ records }) => records), held: [...held] };
  }

  async #of(scope: TenantScope, { externalId, until }: DataSubject): Promise<Row[]> {
    const { table, made = 'created_at', whereEnded, kinds = {} } = this.#rows;
    let rows = named(this.#storage.db, scope)
      .selectFrom(table)
      .select(['id', ...Object.values(kinds).flat()])
      .where(({ eb, or }) => or(this.#named.map((column) => eb(column, '=', externalId))))
      .where(made, '<=', until);
    if (whereEnded !== undefined) rows = rows.where(...whereEnded);
    return (await rows.execute()) as Row[];
  }

  async #recordsOf(scope: TenantScope, id: string): Promise<string[]> {
    const found: string[] = [];
    for (const [table, column] of pairs(this.#rows.records)) {
      const rows = named(this.#storage.db, scope).selectFrom(table).select('id').where(column, '=', id);
      found.push(...((await rows.execute()) as Row[]).map((row) => row.id));
    }
    return found;
  }

  async #remove(scope: TenantScope, id: string): Promise<Counts> {
    const { table, parts, answered, remove } = this.#rows;
    if (answered) {
      await withinTenant(this.#storage.db, scope)
        .deleteFrom('idempotent_answers')
        .where('answer', 'like', `%${id}%`)
        .execute();
    }
    if (remove !== undefined) return await remove(scope, id);
    await this.#storage.transaction(async (trx) => {
      for (const [part, column] of pairs(parts)) await removeWhere(trx, scope, part, column, id);
      await removeWhere(trx, scope, table, 'id', id);
    });
    return {};
  }

  async #removeOthers(scope: TenantScope, externalId: string): Promise<Counts> {
    const counts: Record<string, number> = {};
    for (const [table, column] of pairs(this.#rows.others)) {
      counts[table] = await removeWhere(this.#storage.db, scope, table, column, externalId);
    }
    return counts;
  }
}

const pairs = (other: Other | undefined): [TenantTableName, string][] =>
  Object.entries(other ?? {}) as [TenantTableName, string][];

const named = (db: Kysely<Tables>, scope: TenantScope): Named => withinTenant(db, scope) as unknown as Named;

async function removeWhere(
  db: Kysely<Tables>,
  scope: TenantScope,
  table: TenantTableName,
  column: string,
  value: string,
): Promise<number> {
  const rows = withinTenant(db, scope).deleteFrom(table as 'messages');
  const { numDeletedRows } = await rows.where(column as 'id', '=', value).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

function add(counts: Record<string, number>, more: Counts): void {
  for (const [what, count] of Object.entries(more)) counts[what] = (counts[what] ?? 0) + count;
}
