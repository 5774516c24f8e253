import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { CompiledQuery, type DatabaseConnection, type Driver, SqliteDialect } from 'kysely';
import { storageFaultOf } from '../platform/storage-fault.ts';
import { Mutex } from './mutex.ts';
import { BusyRetry, SqliteConnection } from './sqlite-connection.ts';
import { SqliteLog } from './sqlite-log.ts';
import { refuseInsideTransaction } from './transaction-context.ts';

interface ReaderAndLog {
  readonly reader: BetterSqlite.Database;
  /** It is null where the file system supports no log; SQLite then syncs by itself. */
  readonly log: SqliteLog | null;
}

/**
 * Uses one writer, which takes the write lock when a transaction begins: a second process then waits there, instead
 * of failing later when a read transaction upgrades to a write. Reads outside transactions have their own connection:
 * they see committed data and never wait.
 */
class SqliteDriver implements Driver {
  readonly #writer: BetterSqlite.Database;
  readonly #readerAndLog: ReaderAndLog | null;
  readonly #busyTimeoutMs: number;
  readonly #turns = new Mutex();

  constructor(writer: BetterSqlite.Database, readerAndLog: ReaderAndLog | null, busyTimeoutMs: number) {
    this.#writer = writer;
    this.#readerAndLog = readerAndLog;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    refuseInsideTransaction();
    const busyRetry = new BusyRetry(this.#busyTimeoutMs);
    return new SqliteConnection({
      writer: this.#writer,
      reader: this.#readerAndLog?.reader ?? null,
      turns: this.#turns,
      busyRetry,
    });
  }

  /** The next writer may start at once; this one's caller gets its answer after the sync. */
  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const wrote = (connection as SqliteConnection).release();
    if (wrote) await this.#readerAndLog?.log?.settled();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  /**
   * A full disk and similar errors end the transaction by themselves; another rollback would fail and hide the cause.
   */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#writer.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
    (connection as SqliteConnection).forgetWrites();
  }

  /** The writer closes last: the last connection that closes checkpoints the log into the file. */
  async destroy(): Promise<void> {
    await this.#readerAndLog?.log?.close();
    this.#readerAndLog?.reader.close();
    this.#writer.close();
  }
}

class RetryingSqliteDialect extends SqliteDialect {
  readonly #makeDriver: () => Driver;

  constructor(database: BetterSqlite.Database, makeDriver: () => Driver) {
    super({ database: database as never });
    this.#makeDriver = makeDriver;
  }

  override createDriver(): Driver {
    return this.#makeDriver();
  }
}

export interface SqliteOptions {
  readonly file: string;
  readonly busyTimeoutMs: number;
}

export function openSqlite({ file, busyTimeoutMs }: SqliteOptions): SqliteDialect {
  if (file !== ':memory:') {
    mkdirSync(dirname(file), { recursive: true });
    refuseDamaged(file);
  }
  const writer = new BetterSqlite(file, { timeout: busyTimeoutMs });
  try {
    const logged = writer.pragma('journal_mode = WAL', { simple: true }) === 'wal';
    // An acknowledged commit survives a power loss: the driver waits for the log, where FULL would block the event
    // loop.
    writer.pragma(`synchronous = ${logged ? 'NORMAL' : 'FULL'}`);
    writer.pragma('foreign_keys = ON');
    // A REPLACE then fires delete triggers; otherwise it could overwrite an entry of the append-only audit log.
    writer.pragma('recursive_triggers = ON');
    writer.pragma('temp_store = MEMORY');
    // SQLite overwrites deleted data, because a free page may still hold a transcript.
    writer.pragma('secure_delete = ON');
    writer.pragma('busy_timeout = 0');
    const readerAndLog =
      file === ':memory:' ? null : { reader: openReader(file), log: logged ? new SqliteLog(file) : null };
    return new RetryingSqliteDialect(writer, () => new SqliteDriver(writer, readerAndLog, busyTimeoutMs));
  } catch (error) {
    writer.close();
    throw error;
  }
}

function openReader(file: string): BetterSqlite.Database {
  const reader = new BetterSqlite(file, { timeout: 0 });
  reader.pragma('query_only = ON');
  reader.pragma('temp_store = MEMORY');
  return reader;
}

/** A full check of a larger file would delay the start; `doctor` checks any size. */
const MOST_BYTES_READ_AT_START = 256 * 1024 * 1024;

function refuseDamaged(file: string): void {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return;
  const damage = damageOf(file, bytes <= MOST_BYTES_READ_AT_START);
  if (damage === null) return;
  throw new Error(
    `${file} is damaged (${damage}) and was not changed: restore a backup, or move the file away to start with an empty database.`,
  );
}

export function damageOf(file: string, readAll: boolean): string | null {
  let database: BetterSqlite.Database | null = null;
  try {
    database = new BetterSqlite(file, { readonly: true, fileMustExist: true });
    database.prepare('select count(*) from sqlite_schema').get();
    if (!readAll) return null;
    const said = database.pragma('quick_check(1)', { simple: true }) as string;
    return said === 'ok' ? null : said.split('\n').at(-1)!;
  } catch (error) {
    if (storageFaultOf(error) === 'damaged') return (error as Error).message;
    throw error;
  } finally {
    database?.close();
  }
}
