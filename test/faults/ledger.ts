import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';

export function look<Row>(data: string, query: string, ...values: unknown[]): Row[] {
  const database = new BetterSqlite(join(data, 'trunkline.db'), { readonly: true });
  try {
    return database.prepare(query).all(...values) as Row[];
  } finally {
    database.close();
  }
}

export interface BilledRow {
  readonly meter: string;
  readonly resource: string;
  readonly milliseconds: number;
}

export const billedRows = (data: string): BilledRow[] =>
  look<BilledRow>(data, 'select meter, resource, milliseconds from usage_events order by occurred_at');

export const heldRows = (data: string): number => look(data, 'select id from usage_holds').length;
