import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, it } from 'vitest';
import type { Dialect } from '../../../src/foundation/storage/index.ts';
import { openStorage, type Storage, type StorageOptions } from '../../../src/foundation/storage/index.ts';
import { afterAll } from '../../helper-hooks.ts';
import { emptied, noteFresh } from './emptied.ts';
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
const MIGRATED: Filling = {
  sqlite: copySqlite,
  postgres: async (name) => {
    await copyPostgres(name);
    await noteFresh(name);
  },
};
/** Databases of earlier tests of a file, emptied: making one takes PostgreSQL a quarter of a second of its processor. */
const idle: string[] = [];
afterAll(async () => {
  for (const name of idle.splice(0)) await removePostgres(name);
});

async function database(dialect: Dialect, filling: Filling): Promise<EmptyDatabase> {
  if (dialect === 'sqlite') {
    const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-sqlite-'));
    await filling.sqlite(dataDir);
    return { dialect, options: { dataDir }, remove: () => rm(dataDir, { recursive: true, force: true }) };
  }
  const used = filling === MIGRATED ? idle.pop() : undefined;
  const name = used ?? `test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  if (used === undefined) await filling.postgres(name);
  return {
    dialect,
    options: { databaseUrl: urlOf(name) },
    remove: async () => {
      if (filling === MIGRATED && (await emptied(name))) idle.push(name);
      else await removePostgres(name);
    },
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

type Define = (databases: Databases) => void;

export function onSqlite(name: string, define: Define): void {
  describe(`${name} (SQLite)`, () => suite('sqlite', define));
}

/**
 * The tests are skipped with a reason where TRUNKLINE_TEST_DATABASE_URL is not set; with CI=true they fail. `node
 * scripts/with-services.mjs npx vitest …` starts a PostgreSQL.
 */
export function onPostgres(name: string, define: Define): void {
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

/** Runs the same tests on both databases. */
export function onBothDatabases(name: string, define: Define): void {
  onSqlite(name, define);
  onPostgres(name, define);
}
