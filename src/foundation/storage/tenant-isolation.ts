import type {
  DeleteQueryBuilder,
  DeleteResult,
  Insertable,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  SelectQueryBuilder,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely';
import type { TenantScope } from '../tenancy/index.ts';
import {
  type EveryTable,
  PARTS,
  type Part,
  type Tables,
  type TenantColumn,
  type TenantTableName,
} from './tables/index.ts';

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

type OneOrMore<Row> = Row | readonly Row[];

export interface TenantQueries {
  selectFrom<T extends TenantTableName>(table: T): SelectQueryBuilder<EveryTable, T, object>;
  selectFromPart<T extends Part>(table: T): SelectQueryBuilder<EveryTable, T, object>;
  insertInto<T extends TenantTableName>(
    table: T,
    rows: OneOrMore<Omit<Insertable<EveryTable[T]>, TenantColumn>>,
  ): InsertQueryBuilder<EveryTable, T, InsertResult>;
  updateTable<T extends TenantTableName>(table: T): UpdateQueryBuilder<EveryTable, T, T, UpdateResult>;
  deleteFrom<T extends TenantTableName>(table: T): DeleteQueryBuilder<EveryTable, T, DeleteResult>;
}

/**
 * Gives access to customers' rows. `Kysely<Tables>` does not know their tables, so that a query without a tenant
 * scope does not type-check. It accepts a transaction too.
 */
export function withinTenant(db: Kysely<Tables>, { org, project, environment }: TenantScope): TenantQueries {
  const untyped = db as unknown as Untyped;
  const columns = { org_id: org, project_id: project, environment };
  const bounded = <Q extends { where(column: string, is: '=', value: string): Q }>(
    query: Q,
    table: string,
  ): Q =>
    Object.entries(columns).reduce((so, [name, value]) => so.where(`${table}.${name}`, '=', value), query);
  const queries = {
    selectFrom: (table: string) => bounded(untyped.selectFrom(table) as never, table),
    selectFromPart: (table: Part) => {
      const { of, by } = PARTS[table];
      return untyped
        .selectFrom(table)
        .where(`${table}.${by}`, 'in', bounded(untyped.selectFrom(of).select(`${of}.id`) as never, of));
    },
    insertInto: (table: string, rows: OneOrMore<object>) =>
      untyped.insertInto(table).values([rows].flat().map((row) => ({ ...row, ...columns }))),
    updateTable: (table: string) => bounded(untyped.updateTable(table) as never, table),
    deleteFrom: (table: string) => bounded(untyped.deleteFrom(table) as never, table),
  };
  return queries as unknown as TenantQueries;
}

/**
 * Opens the database without a tenant scope, for work without a caller: workers that hold a row by its lease, sweeps,
 * and the cleanup of a node's work. scripts/boundaries/rules.mjs lists the files that may use it.
 */
export const acrossTenants = (db: Kysely<Tables>): Kysely<EveryTable> => db as unknown as Kysely<EveryTable>;
