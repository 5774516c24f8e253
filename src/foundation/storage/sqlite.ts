import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { CompiledQuery, type DatabaseConnection, type Driver, SqliteDialect } from 'kysely';
import { storageFaultOf } from '../platform/storage-fault.ts';
import { Mutex } from './mutex.ts';
import { BusyRetry, SqliteConnection } from './sqlite-connection.ts';
import { SqliteLog } from './sqlite-log.ts';
import { refuseInsideTransaction } from './transaction-context.ts';

/** A database in a file has a reader and a log beside its writer. */
interface ReaderAndLog {
  readonly reader: BetterSqlite.Database;
  /** It is null where the file system supports no log; SQLite then syncs by itself. */
  readonly log: SqliteLog | null;
}

/** One writer, which takes the write lock when a transaction begins: a second process then waits there, instead of
 * failing half-way when a read transaction tries to become a writing one. Reads outside transactions have a connection of
 * their own: they see what is committed and wait for nobody. */
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

  /** Others may write as soon as this one has; it is answered once what it wrote is on the disk. */
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

  /** A full disk and the like end the transaction by themselves: to roll it back again would fail, and hide why. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#writer.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
    (connection as SqliteConnection).forgetWrites();
  }

  /** The writer last: the last connection that closes folds the log into the file. */
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
  /** A path, or `:memory:`. */
  readonly file: string;
  /** How long a statement waits for another process's write. */
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
    // A commit that was answered survives the loss of power: the driver waits for the log, where FULL would stop the event loop.
    writer.pragma(`synchronous = ${logged ? 'NORMAL' : 'FULL'}`);
    writer.pragma('foreign_keys = ON');
    // A row that is replaced is deleted too: else one of the append-only audit log could be written over.
    writer.pragma('recursive_triggers = ON');
    writer.pragma('temp_store = MEMORY');
    // SQLite overwrites deleted data, because a free page may still hold what somebody said.
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

/** Reading all of a larger file would hold up the start; `doctor` reads it, whatever its size. */
const MOST_BYTES_READ_AT_START = 256 * 1024 * 1024;

/** Looks at the file before anything may write to it. */
function refuseDamaged(file: string): void {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return;
  const damage = damageOf(file, bytes <= MOST_BYTES_READ_AT_START);
  if (damage === null) return;
  throw new Error(
    `${file} is damaged (${damage}). Nothing in it was changed: restore a backup of it, or move it away to begin anew.`,
  );
}

/** Describes the damage of a database file, or returns null for a sound one. It writes nothing. */
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
