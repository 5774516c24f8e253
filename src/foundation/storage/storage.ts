import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Kysely, type LogEvent, sql, type Transaction } from 'kysely';
import { type Clock, systemClock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { lowSpace } from './free-space.ts';
import { type Dialect, type Migration, type MigrationBuilder, migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import {
  type ChannelListener,
  encodeMessage,
  type NotificationChannel,
  openLocalChannel,
  PG_CHANNEL,
  PostgresChannel,
} from './notification-channel.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import type { Tables } from './tables/index.ts';
import { insideTransaction, runInsideTransaction } from './transaction-context.ts';
import { WriteHealth } from './write-health.ts';

export interface StorageOptions {
  /** A `postgres://…` URL is the database of a cluster; without it, SQLite in `dataDir` is used. */
  readonly databaseUrl?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly poolSize?: number;
  readonly clock?: Clock;
  readonly onError?: (error: Error) => void;
  readonly migrations?: readonly Migration[];
}

export interface TransactionOptions {
  /**
   * `serializable` (the default) makes PostgreSQL behave like SQLite, as if transactions ran one by one. `read
   * committed` is for transactions that lock their rows themselves (`for update skip locked`).
   */
  readonly isolation?: 'serializable' | 'read committed';
}

export interface StoragePart {
  readonly name: string;
  readonly ready: boolean;
  readonly detail?: string;
  readonly required: boolean;
}

export interface Storage {
  readonly db: Kysely<Tables>;
  readonly dialect: Dialect;
  /** Work that only this process can continue records this id. */
  readonly nodeId: string;
  /**
   * Runs `task` as one transaction, and again from the start when the database requests it. `task` must have no
   * effect other than its queries, and must await nothing else.
   */
  transaction<T>(
    task: (transaction: Transaction<Tables>) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /** Notifies every node. With a transaction, the message is sent when that commits, and never if it does not. */
  notify(topic: string, payload: string, transaction?: Transaction<Tables>): Promise<void>;
  listen(topic: string, listener: ChannelListener): () => void;
  /** Returns false where no notification reaches the node, because its process has ended or has lost the database. */
  isListening(nodeId: string): Promise<boolean>;
  /**
   * Removes deleted bytes from SQLite's log too, for a deletion that must leave none behind. On PostgreSQL,
   * autovacuum does so later.
   */
  scrub(): Promise<void>;
  part(): Promise<StoragePart>;
  close(): Promise<void>;
}

export const DATABASE_FILE = 'trunkline.db';
/** Below this, the disk counts as full: the log may grow by as much before a checkpoint. */
const LEAST_SPACE_BYTES = 16 * 1024 * 1024;
const SQLITE_BUSY_TIMEOUT_MS = 10_000;
const DEFAULT_POOL_SIZE = 10;
const ATTEMPTS = 12;
/** A lock on SQLite is not retried, because the connection has already waited for its timeout. */
const RETRIED_CODES = new Set(['40001', '40P01', 'SQLITE_BUSY_SNAPSHOT']);

const isRetried = (error: unknown): boolean =>
  error instanceof Error && RETRIED_CODES.has((error as Error & { code?: string }).code ?? '');

interface Opened {
  readonly nodeId: string;
  readonly db: Kysely<Tables>;
  readonly dialect: Dialect;
  readonly channel: NotificationChannel;
  readonly health: WriteHealth;
  readonly folder: string | null;
  readonly close: () => Promise<void>;
}

class OpenStorage implements Storage {
  readonly nodeId: string;
  readonly db: Kysely<Tables>;
  readonly dialect: Dialect;
  readonly #channel: NotificationChannel;
  readonly #health: WriteHealth;
  readonly #folder: string | null;
  readonly #close: () => Promise<void>;
  readonly #waiting = new WeakMap<Transaction<Tables>, [string, string][]>();

  constructor(opened: Opened) {
    this.nodeId = opened.nodeId;
    this.db = opened.db;
    this.dialect = opened.dialect;
    this.#channel = opened.channel;
    this.#health = opened.health;
    this.#folder = opened.folder;
    this.#close = opened.close;
  }

  async transaction<T>(
    task: (transaction: Transaction<Tables>) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    if (insideTransaction()) throw new Error('A transaction is open: pass it on instead of opening another.');
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(task, options.isolation ?? 'serializable');
      } catch (error) {
        if (attempt === ATTEMPTS || !isRetried(error)) throw error;
        await setTimeout(Math.random() * Math.min(2 ** attempt, 200));
      }
    }
  }

  async notify(topic: string, payload: string, transaction?: Transaction<Tables>): Promise<void> {
    if (!transaction) return await this.#channel.publish(topic, payload);
    if (this.dialect === 'postgres') {
      await sql`select pg_notify(${PG_CHANNEL}, ${encodeMessage(topic, payload)})`.execute(transaction);
    } else {
      this.#waiting.get(transaction)?.push([topic, payload]);
    }
  }

  listen(topic: string, listener: ChannelListener): () => void {
    return this.#channel.subscribe(topic, listener);
  }

  async isListening(nodeId: string): Promise<boolean> {
    return await this.#channel.isListening(nodeId);
  }

  async scrub(): Promise<void> {
    if (this.dialect === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(this.db);
  }

  async part(): Promise<StoragePart> {
    const name = this.dialect === 'postgres' ? 'database (PostgreSQL)' : 'database (SQLite)';
    const detail = await this.#problem();
    return { name, ready: detail === null, required: true, ...(detail === null ? {} : { detail }) };
  }

  async #problem(): Promise<string | null> {
    try {
      await sql`select 1`.execute(this.db);
    } catch (error) {
      return `It does not respond: ${(error as Error).message}`;
    }
    const problem = await this.#health.problem(() => this.#tryToWrite());
    return problem ?? (this.#folder === null ? null : await lowSpace(this.#folder, LEAST_SPACE_BYTES));
  }

  /** Writes a page without changing data: it sets a row, or a number in the file's header, to its own value. */
  async #tryToWrite(): Promise<void> {
    await this.transaction(async (transaction) => {
      if (this.dialect === 'postgres') {
        await sql`update schema_migrations set name = name
          where number = (select max(number) from schema_migrations)`.execute(transaction);
        return;
      }
      const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(transaction);
      await sql.raw(`pragma user_version = ${Number(rows[0]?.user_version ?? 0)}`).execute(transaction);
    });
  }

  async close(): Promise<void> {
    await this.#channel.close();
    await this.#close();
  }

  async #attempt<T>(
    task: (transaction: Transaction<Tables>) => Promise<T>,
    isolation: NonNullable<TransactionOptions['isolation']>,
  ): Promise<T> {
    const messages: [string, string][] = [];
    const builder = this.db.transaction();
    const result = await (this.dialect === 'postgres'
      ? builder.setIsolationLevel(isolation)
      : builder
    ).execute((transaction) => {
      this.#waiting.set(transaction, messages);
      return runInsideTransaction(() => task(transaction));
    });
    for (const [topic, payload] of messages) await this.#channel.publish(topic, payload);
    return result;
  }
}

const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:\/\//.test(url);

async function openCluster(url: string, options: StorageOptions, clock: Clock): Promise<Opened> {
  const nodeId = newId('node');
  const onError = options.onError ?? (() => {});
  const { dialect, pool, reset, close } = openPostgres({
    url,
    poolSize: options.poolSize ?? DEFAULT_POOL_SIZE,
    onError,
  });
  const health = new WriteHealth(() => clock.monotonic());
  const db = new Kysely<Tables>({ dialect, log: recordingFaults(health) });
  const channel = new PostgresChannel({ url, pool, clock, nodeId, onError, onSilent: reset });
  try {
    await channel.open();
  } catch (error) {
    await channel.close().catch(() => {});
    await close();
    throw new Error(`PostgreSQL at TRUNKLINE_DATABASE_URL does not respond: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return { nodeId, db, dialect: 'postgres', channel, health, folder: null, close };
}

const recordingFaults =
  (health: WriteHealth) =>
  (event: LogEvent): void => {
    if (event.level === 'error') health.noteFault(event.error);
  };

function openEmbedded(options: StorageOptions, clock: Clock): Opened {
  if (!options.dataDir) throw new Error('Storage needs a database URL or a data folder.');
  const folder = options.dataDir === ':memory:' ? null : options.dataDir;
  const file = folder === null ? ':memory:' : join(folder, DATABASE_FILE);
  const health = new WriteHealth(() => clock.monotonic());
  const dialect = openSqlite({ file, busyTimeoutMs: SQLITE_BUSY_TIMEOUT_MS });
  const db = new Kysely<Tables>({ dialect, log: recordingFaults(health) });
  const nodeId = newId('node');
  const channel = openLocalChannel(nodeId);
  return { nodeId, db, dialect: 'sqlite', channel, health, folder, close: () => db.destroy() };
}

export async function openStorage(options: StorageOptions): Promise<Storage> {
  const clock = options.clock ?? systemClock;
  const url = options.databaseUrl;
  if (url && !isPostgresUrl(url)) throw new Error('TRUNKLINE_DATABASE_URL must start with postgres://.');
  const opened = url ? await openCluster(url, options, clock) : openEmbedded(options, clock);
  const storage = new OpenStorage(opened);
  try {
    await migrate(
      opened.db as unknown as MigrationBuilder,
      opened.dialect,
      options.migrations ?? MIGRATIONS,
      clock,
      async () => {
        if (opened.folder === null) return;
        const { keepBeforeMigration } = await import('./before-migration.ts');
        await keepBeforeMigration(opened.folder);
      },
    );
  } catch (error) {
    await storage.close();
    throw error;
  }
  return storage;
}
