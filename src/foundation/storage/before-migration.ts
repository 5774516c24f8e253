import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copyDatabase, DATABASE_FILE } from './snapshot.ts';

/** The name begins with the database's name, so that backups of the data folder leave it out. */
export const BEFORE_MIGRATION = `${DATABASE_FILE}.before-migration`;

/**
 * Copies the embedded database before a start migrates its schema, so that the previous version can be installed
 * again. Only the copy of the last upgrade stays.
 */
export async function keepBeforeMigration(folder: string): Promise<void> {
  const target = join(folder, BEFORE_MIGRATION);
  const arriving = `${target}.arriving`;
  try {
    await rm(arriving, { force: true });
    const damage = await copyDatabase(folder, arriving);
    if (damage !== null) throw new Error(damage);
    await rename(arriving, target);
  } catch (error) {
    await rm(arriving, { force: true }).catch(() => {});
    throw new Error(
      `The database could not be copied before the migration, and was not changed: ${(error as Error).message}. The folder needs as much free space as the database uses: ${folder}`,
      { cause: error },
    );
  }
}
