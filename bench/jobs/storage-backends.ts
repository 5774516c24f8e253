import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openStorage, type Storage } from '../../src/foundation/storage/index.ts';

export interface StorageBackend {
  readonly name: 'SQLite' | 'PostgreSQL';
  readonly url: string | null;
  open(): Promise<Storage>;
  remove(): Promise<void>;
}

export function sqliteBackend(): StorageBackend {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-jobs-'));
  return {
    name: 'SQLite',
    url: null,
    open: () => openStorage({ dataDir }),
    remove: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

export async function postgresBackend(name: string): Promise<StorageBackend | null> {
  const server = process.env.TRUNKLINE_TEST_DATABASE_URL;
  if (!server) return null;
  const database = `bench_jobs_${name}_${process.pid}`;
  const onServer = async (text: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  await onServer(`create database ${database}`);
  const own = new URL(server);
  own.pathname = `/${database}`;
  return {
    name: 'PostgreSQL',
    url: own.href,
    open: () => openStorage({ databaseUrl: own.href }),
    remove: () => onServer(`drop database ${database} with (force)`),
  };
}
