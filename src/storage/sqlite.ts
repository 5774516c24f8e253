import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import BetterSqlite from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely';
import { refuseInsideTransaction } from './context.ts';

const CACHED_STATEMENTS = 512;

/** Waits for another process's write without stopping the event loop: SQLite's own busy timeout would sleep in it. */
class PatientConnection implements DatabaseConnection {
  readonly #inner: DatabaseConnection;
  readonly #patienceMs: number;

  constructor(inner: DatabaseConnection, patienceMs: number) {
    this.#inner = inner;
    this.#patienceMs = patienceMs;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const deadline = performance.now() + this.#patienceMs;
    for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
      try {
        return await this.#inner.executeQuery<R>(query);
      } catch (error) {
        if ((error as { code?: string }).code !== 'SQLITE_BUSY' || performance.now() > deadline) throw error;
      }
      await setTimeout(wait * (0.5 + Math.random()));
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#inner.streamQuery<R>(query, chunkSize);
  }
}

/** Takes the write lock when a transaction begins: a second process then waits there, instead of failing half-way
 * when a read transaction tries to become a writing one. */
class ImmediateSqliteDriver extends SqliteDriver {
  readonly #patienceMs: number;
  #connection: PatientConnection | null = null;

  constructor(config: SqliteDialectConfig, patienceMs: number) {
    super(config);
    this.#patienceMs = patienceMs;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    refuseInsideTransaction();
    const inner = await super.acquireConnection();
    this.#connection ??= new PatientConnection(inner, this.#patienceMs);
    return this.#connection;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

class ImmediateSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #patienceMs: number;

  constructor(config: SqliteDialectConfig, patienceMs: number) {
    super(config);
    this.#config = config;
    this.#patienceMs = patienceMs;
  }

  override createDriver(): Driver {
    return new ImmediateSqliteDriver(this.#config, this.#patienceMs);
  }
}

/** Compiling a statement costs more than most of the queries themselves; the least recently used go first. */
function withStatementCache(database: BetterSqlite.Database): SqliteDialectConfig['database'] {
  const cache = new Map<string, BetterSqlite.Statement>();
  return {
    close: () => database.close(),
    prepare(sql: string) {
      const found = cache.get(sql);
      const statement = found ?? database.prepare(sql);
      cache.delete(sql);
      cache.set(sql, statement);
      if (cache.size > CACHED_STATEMENTS) cache.delete(cache.keys().next().value as string);
      return statement as unknown as ReturnType<
        Exclude<SqliteDialectConfig['database'], (...args: never[]) => unknown>['prepare']
      >;
    },
  };
}

export interface SqliteOptions {
  /** A path, or `:memory:`. */
  readonly file: string;
  /** How long a statement waits for another process's write. */
  readonly patienceMs: number;
}

export function openSqlite(options: SqliteOptions): SqliteDialect {
  if (options.file !== ':memory:') mkdirSync(dirname(options.file), { recursive: true });
  const database = new BetterSqlite(options.file, { timeout: options.patienceMs });
  try {
    database.pragma('journal_mode = WAL');
    // FULL: a commit that was answered survives the loss of power, not only of the process.
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    database.pragma('temp_store = MEMORY');
    database.pragma('busy_timeout = 0');
  } catch (error) {
    database.close();
    throw error;
  }
  return new ImmediateSqliteDialect({ database: withStatementCache(database) }, options.patienceMs);
}
