import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { CompiledQuery, type DatabaseConnection, type Driver, SqliteDialect } from 'kysely';
import { storageFaultOf } from '../platform/storage-fault.ts';
import { refuseInsideTransaction } from './context.ts';
import { Patience, SqliteConnection } from './sqlite-connection.ts';
import { Turns } from './turns.ts';

/** One writer, which takes the write lock when a transaction begins: a second process then waits there, instead of
 * failing half-way when a read transaction tries to become a writing one. Reads outside transactions have a connection of
 * their own: they see what is committed and wait for nobody. */
class SqliteDriver implements Driver {
  readonly #writer: BetterSqlite.Database;
  readonly #reader: BetterSqlite.Database | null;
  readonly #patienceMs: number;
  readonly #turns = new Turns();

  constructor(writer: BetterSqlite.Database, reader: BetterSqlite.Database | null, patienceMs: number) {
    this.#writer = writer;
    this.#reader = reader;
    this.#patienceMs = patienceMs;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    refuseInsideTransaction();
    const patience = new Patience(this.#patienceMs);
    return new SqliteConnection({ writer: this.#writer, reader: this.#reader, turns: this.#turns, patience });
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as SqliteConnection).release();
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
  }

  /** The writer last: the last connection that closes folds the log into the file. */
  async destroy(): Promise<void> {
    this.#reader?.close();
    this.#writer.close();
  }
}

class PatientSqliteDialect extends SqliteDialect {
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
  readonly patienceMs: number;
}

export function openSqlite({ file, patienceMs }: SqliteOptions): SqliteDialect {
  if (file !== ':memory:') {
    mkdirSync(dirname(file), { recursive: true });
    refuseDamaged(file);
  }
  const writer = new BetterSqlite(file, { timeout: patienceMs });
  try {
    writer.pragma('journal_mode = WAL');
    // FULL: a commit that was answered survives the loss of power, not only of the process.
    writer.pragma('synchronous = FULL');
    writer.pragma('foreign_keys = ON');
    writer.pragma('temp_store = MEMORY');
    // What is deleted is overwritten: a page that is free again may hold what somebody said.
    writer.pragma('secure_delete = ON');
    writer.pragma('busy_timeout = 0');
    const reader = file === ':memory:' ? null : openReader(file);
    return new PatientSqliteDialect(writer, () => new SqliteDriver(writer, reader, patienceMs));
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

/** What is wrong with a database file; null: nothing. It writes nothing. */
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
