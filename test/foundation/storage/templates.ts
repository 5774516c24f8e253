/**
 * Databases with today's schema are made once for all tests: a copy takes a hundredth of the time of fifty
 * migrations. A template's name has the digest of the migrations, so that an edited migration never gets an old one.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openStorage } from '../../../src/foundation/storage/index.ts';
import { DATABASE_FILE } from '../../../src/foundation/storage/storage.ts';

export const POSTGRES_URL = process.env.TRUNKLINE_TEST_DATABASE_URL;
const MIGRATIONS = join(import.meta.dirname, '../../../src/foundation/storage/migrations');
const LOCK = 7_301_114;

const digest = createHash('sha256');
for (const name of readdirSync(MIGRATIONS).sort()) digest.update(readFileSync(join(MIGRATIONS, name)));
const NAME = `template_${digest.digest('hex').slice(0, 16)}`;

export const urlOf = (name: string): string => {
  const url = new URL(POSTGRES_URL as string);
  url.pathname = `/${name}`;
  return url.href;
};

export async function onServer(
  task: (client: pg.Client) => Promise<unknown>,
  connectionString = POSTGRES_URL,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await task(client);
  } finally {
    await client.end();
  }
}

export async function copySqlite(folder: string): Promise<void> {
  const template = join(tmpdir(), `trunkline-${NAME}.db`);
  if (!existsSync(template)) {
    const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-template-'));
    await (await openStorage({ dataDir })).close();
    // A concurrent process replaces the template by an equal one.
    await rename(join(dataDir, DATABASE_FILE), template);
    await rm(dataDir, { recursive: true, force: true });
  }
  await copyFile(template, join(folder, DATABASE_FILE));
}

let made: Promise<void> | null = null;

export async function copyPostgres(name: string): Promise<void> {
  made ??= onServer(async (client) => {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [NAME]);
    if (rowCount !== 0) return;
    const unfinished = `${NAME}_unfinished`;
    await client.query(`drop database if exists ${unfinished} with (force)`);
    await client.query(`create database ${unfinished}`);
    await (await openStorage({ databaseUrl: urlOf(unfinished) })).close();
    await client.query(`alter database ${unfinished} rename to ${NAME}`);
  });
  await made;
  await onServer((client) => client.query(`create database ${name} template ${NAME}`));
}
