import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, it } from 'vitest';
import type { Dialect } from '../../../src/foundation/storage/index.ts';
import { openStorage, type Storage, type StorageOptions } from '../../../src/foundation/storage/index.ts';
import { copyPostgres, copySqlite, onServer, POSTGRES_URL, urlOf } from './templates.ts';

export interface EmptyDatabase {
  readonly dialect: Dialect;
  readonly options: Pick<StorageOptions, 'databaseUrl' | 'dataDir'>;
  remove(): Promise<void>;
}

interface Filling {
  readonly sqlite: (folder: string) => Promise<unknown>;
  readonly postgres: (name: string) => Promise<unknown>;
}

const EMPTY: Filling = {
  sqlite: async () => {},
  postgres: (name) => onServer((client) => client.query(`create database ${name}`)),
};
const MIGRATED: Filling = { sqlite: copySqlite, postgres: copyPostgres };

async function database(dialect: Dialect, filling: Filling): Promise<EmptyDatabase> {
  if (dialect === 'sqlite') {
    const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-sqlite-'));
    await filling.sqlite(dataDir);
    return { dialect, options: { dataDir }, remove: () => rm(dataDir, { recursive: true, force: true }) };
  }
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  await filling.postgres(name);
  return {
    dialect,
    options: { databaseUrl: urlOf(name) },
    remove: () => removePostgres(name),
  };
}

/** PostgreSQL waits for connections that are closing; cutting one would make its close fail. */
async function removePostgres(name: string): Promise<void> {
  const drop = (how: string) => onServer((client) => client.query(`drop database ${name} ${how}`));
  await drop('').catch(() => drop('with (force)'));
}

export const emptyDatabase = (dialect: Dialect): Promise<EmptyDatabase> => database(dialect, EMPTY);
export const migratedDatabase = (dialect: Dialect): Promise<EmptyDatabase> => database(dialect, MIGRATED);

export interface Databases {
  readonly dialect: Dialect;
  /** Opens a migrated database that is closed and removed after the test. */
  open(options?: Partial<StorageOptions>): Promise<Storage>;
  /** Makes an empty database that the test opens itself, as often as it likes. */
  empty(): Promise<EmptyDatabase>;
  /** Runs the step after the test, before the databases that were opened earlier are closed. */
  after(step: () => unknown): void;
}

function suite(dialect: Dialect, define: (databases: Databases) => void): void {
  const undo: (() => unknown)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });
  const stored = async (making: Promise<EmptyDatabase>) => {
    const made = await making;
    undo.push(() => made.remove());
    return made;
  };
  const empty = () => stored(emptyDatabase(dialect));
  define({
    dialect,
    empty,
    after: (step) => undo.push(step),
    async open(options = {}) {
      const database = await (options.migrations ? empty() : stored(migratedDatabase(dialect)));
      const storage = await openStorage({ ...database.options, ...options });
      undo.push(() => storage.close());
      return storage;
    },
  });
}

/**
 * Runs the same tests on both databases. Without TRUNKLINE_TEST_DATABASE_URL the PostgreSQL half is skipped with a
 * reason; with CI=true it fails. `node scripts/with-services.mjs npx vitest …` starts one.
 */
export function onBothDatabases(name: string, define: (databases: Databases) => void): void {
  describe(`${name} (SQLite)`, () => suite('sqlite', define));
  if (POSTGRES_URL) {
    describe(`${name} (PostgreSQL)`, () => suite('postgres', define));
  } else if (process.env.CI === 'true') {
    it(`${name} (PostgreSQL)`, () => {
      throw new Error('TRUNKLINE_TEST_DATABASE_URL is not set: CI must run the storage tests on PostgreSQL.');
    });
  } else {
    describe.skip(`${name} (PostgreSQL): skipped, TRUNKLINE_TEST_DATABASE_URL is not set`, () =>
      suite('postgres', define));
  }
}
