import { setTimeout } from 'node:timers/promises';
import type BetterSqlite from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { Mutex } from './mutex.ts';

const CACHED_STATEMENTS = 512;

/** Waits for another process's write without blocking the event loop, as SQLite's own busy timeout would. */
export class BusyRetry {
  readonly #deadline: number;
  #wait = 1;

  constructor(busyTimeoutMs: number) {
    this.#deadline = performance.now() + busyTimeoutMs;
  }

  async run<T>(statement: () => T): Promise<T> {
    for (;;) {
      try {
        return statement();
      } catch (error) {
        if ((error as { code?: string }).code !== 'SQLITE_BUSY' || performance.now() > this.#deadline)
          throw error;
      }
      await setTimeout(this.#wait * (0.5 + Math.random()));
      this.#wait = Math.min(this.#wait * 2, 50);
    }
  }
}

const statements = new WeakMap<BetterSqlite.Database, Map<string, BetterSqlite.Statement>>();

/** Compiling a statement costs more than most queries. The cache evicts the least recently used. */
function prepared(database: BetterSqlite.Database, sql: string): BetterSqlite.Statement {
  const cache = statements.get(database) ?? new Map<string, BetterSqlite.Statement>();
  statements.set(database, cache);
  const statement = cache.get(sql) ?? database.prepare(sql);
  cache.delete(sql);
  cache.set(sql, statement);
  if (cache.size > CACHED_STATEMENTS) cache.delete(cache.keys().next().value as string);
  return statement;
}

const LOOKS = /^\s*(select|with)\b/i;

export interface SqliteConnectionParts {
  readonly writer: BetterSqlite.Database;
  readonly reader: BetterSqlite.Database | null;
  readonly turns: Mutex;
  readonly busyRetry: BusyRetry;
}

/**
 * One use of the database reads until the first statement that may write; from then on it holds the writer
 * exclusively.
 */
export class SqliteConnection implements DatabaseConnection {
  readonly #parts: SqliteConnectionParts;
  #endTurn: (() => void) | null = null;
  #wrote = false;

  constructor(parts: SqliteConnectionParts) {
    this.#parts = parts;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { busyRetry, writer } = this.#parts;
    const reader = await busyRetry.run(() => this.#readerFor(query));
    if (!reader) this.#endTurn ??= await this.#parts.turns.acquire();
    const statement = await busyRetry.run(() => prepared(reader ?? writer, query.sql));
    const result = await busyRetry.run(() => run<R>(statement, query.parameters));
    this.#wrote ||= !statement.readonly;
    return result;
  }

  // biome-ignore lint/correctness/useYield: nothing here reads a table row by row.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: read rows page by page.');
  }

  release(): boolean {
    this.#endTurn?.();
    this.#endTurn = null;
    return this.#wrote;
  }

  forgetWrites(): void {
    this.#wrote = false;
  }

  #readerFor(query: CompiledQuery): BetterSqlite.Database | null {
    const { reader } = this.#parts;
    if (reader === null || this.#endTurn !== null || !LOOKS.test(query.sql)) return null;
    return prepared(reader, query.sql).readonly ? reader : null;
  }
}

function run<R>(statement: BetterSqlite.Statement, parameters: readonly unknown[]): QueryResult<R> {
  if (statement.reader) return { rows: statement.all(parameters) as R[] };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] };
}
