/**
 * The server migrates data folders of earlier releases, and a downgrade stays possible. test/release/data holds one
 * of each.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import BetterSqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { createLog } from '../../src/foundation/platform/log.ts';
import { BEFORE_MIGRATION } from '../../src/foundation/storage/before-migration.ts';
import { DATABASE_FILE, openStorage } from '../../src/foundation/storage/index.ts';
import { MIGRATIONS } from '../../src/foundation/storage/migrations/index.ts';
import { openCoreServices } from '../../src/main/main.ts';
import { readGuide } from '../docs/guide.ts';
import { bearer } from '../foundation/access/access-service.ts';
import { emptyDatabase } from '../foundation/storage/databases.ts';
import { dumpPostgres, noDumps, restorePostgres } from '../foundation/storage/postgres-programs.ts';

const DATA = join(import.meta.dirname, 'data');
interface Release {
  readonly key: string;
  readonly migration: number;
}
const RELEASES = Object.entries(
  JSON.parse(readFileSync(join(DATA, 'keys.json'), 'utf8')) as Record<string, Release>,
);
const newest = Math.max(...MIGRATIONS.map(({ number }) => number));

let folder = '';
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'trunkline-upgrade-')), 'data');
  mkdirSync(folder);
});
afterEach(() => rmSync(dirname(folder), { recursive: true, force: true }));

const database = () => join(folder, DATABASE_FILE);
const lay = (version: string) =>
  writeFileSync(database(), gunzipSync(readFileSync(join(DATA, `${version}.db.gz`))));
function schemaOf(file: string): number {
  const opened = new BetterSqlite(file, { readonly: true });
  try {
    return (opened.prepare('select max(number) as most from schema_migrations').get() as { most: number })
      .most;
  } finally {
    opened.close();
  }
}
const asOf = (migration: number) => MIGRATIONS.filter(({ number }) => number <= migration);

describe.each(RELEASES)('the data folder of %s', (version, { key, migration }) => {
  it('serves its keys and its credit, and a copy of it is kept', async () => {
    lay(version);
    const config = loadConfig({ TRUNKLINE_DATA: folder, TRUNKLINE_LOG_LEVEL: 'silent' });
    const services = await openCoreServices(config, createLog({ level: 'silent' }));
    try {
      const { principal } = await services.access.authorize(bearer(key), { kind: 'key', scope: 'speak' });
      expect(principal).toMatchObject({ environment: 'live', scopes: ['*'] });
      const { orgId, keyId } = principal as NonNullable<typeof principal>;
      const { balanceMicros } = await services.billing.creditStatus({ orgId, keyId, environment: 'live' });
      expect(balanceMicros).toBe(100_000_000n);
    } finally {
      await services.close();
    }
    expect(schemaOf(database())).toBe(newest);
    expect(schemaOf(join(folder, BEFORE_MIGRATION))).toBe(migration);
  });

  it('serves the earlier version again once the copy is put back', async () => {
    lay(version);
    await (await openStorage({ dataDir: folder })).close();
    const earlier = { dataDir: folder, migrations: asOf(migration) };
    await expect(openStorage(earlier)).rejects.toThrow('which this program does not know');
    const wayBack = readGuide('upgrade.md').blocks.find(({ text }) =>
      text.includes(BEFORE_MIGRATION.replace(DATABASE_FILE, '')),
    );
    const walked = spawnSync('bash', ['-e', '-c', wayBack!.text], { cwd: dirname(folder), encoding: 'utf8' });
    expect(walked).toMatchObject({ status: 0, stderr: '' });
    const storage = await openStorage(earlier);
    const { rows } = await sql<{ n: number }>`select count(*) as n from api_keys`.execute(storage.db);
    await storage.close();
    expect(rows).toEqual([{ n: 1 }]);
  });

  it('is left as it is where no copy can be made', async () => {
    lay(version);
    mkdirSync(join(folder, `${BEFORE_MIGRATION}.arriving`));
    await expect(openStorage({ dataDir: folder })).rejects.toThrow(/could not be copied.*was not changed/);
    expect(schemaOf(database())).toBe(migration);
  });
});

it('copies nothing where a folder is new, or where its schema is already the newest', async () => {
  await (await openStorage({ dataDir: folder })).close();
  await (await openStorage({ dataDir: folder })).close();
  expect(existsSync(join(folder, BEFORE_MIGRATION))).toBe(false);
});

if (noDumps !== '') console.warn(`the way back on PostgreSQL is not tried, for want of ${noDumps}`);

describe.skipIf(noDumps !== '')('a database in PostgreSQL', () => {
  it('is brought back by pg_restore of the dump from before the upgrade', async () => {
    const made = await emptyDatabase('postgres');
    const url = made.options.databaseUrl as string;
    const dump = join(folder, 'before.dump');
    try {
      const earlier = { ...made.options, migrations: asOf(241) };
      const first = await openStorage(earlier);
      await sql`update schema_migrations set applied_at = 1 where number = 241`.execute(first.db);
      await first.close();
      dumpPostgres(url, dump);
      await (await openStorage(made.options)).close();
      await expect(openStorage(earlier)).rejects.toThrow('which this program does not know');
      const emptied = await openStorage(made.options);
      await sql`drop schema public cascade`.execute(emptied.db);
      await sql`create schema public`.execute(emptied.db);
      await emptied.close();
      restorePostgres(url, dump);
      const storage = await openStorage(earlier);
      const { rows } = await sql`select applied_at from schema_migrations where number = 241`.execute(
        storage.db,
      );
      await storage.close();
      expect(rows).toEqual([{ applied_at: 1 }]);
    } finally {
      await made.remove();
    }
  });
});
