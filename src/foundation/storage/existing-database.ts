import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresClient } from './postgres.ts';
import { DATABASE_FILE, type StorageOptions } from './storage.ts';

/** Returns whether a server has had the database open. It makes and changes nothing, unlike openStorage. */
export async function hasDatabase(
  options: Pick<StorageOptions, 'databaseUrl' | 'dataDir'>,
): Promise<boolean> {
  const { databaseUrl, dataDir } = options;
  if (!databaseUrl) return existsSync(join(dataDir ?? '', DATABASE_FILE));
  const client = new PostgresClient({ connectionString: databaseUrl });
  // A cut connection emits `error` besides failing its query.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query("select to_regclass('schema_migrations') is not null as has");
    return rows[0].has;
  } finally {
    await client.end();
  }
}
