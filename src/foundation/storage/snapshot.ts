/** Copies the embedded database while others write to it, and checks a database before a server uses it. */
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { storageFaultOf } from '../platform/storage-fault.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { damageOf } from './sqlite.ts';
import { DATABASE_FILE } from './storage.ts';

export { DATABASE_FILE };

/**
 * One step copies all pages, so that a writer does not restart the copy. With a write-ahead log, SQLite blocks no
 * writer meanwhile.
 */
const ALL_PAGES = 0x7fffffff;

/**
 * Copies the database as of one moment into one file and reads that whole. Returns a description of its damage, or
 * null.
 */
export async function copyDatabase(dataDir: string, target: string): Promise<string | null> {
  try {
    await copyInOneStep(join(dataDir, DATABASE_FILE), target);
  } catch (error) {
    if (storageFaultOf(error) === 'damaged') return (error as Error).message;
    throw error;
  }
  return damageOf(target, true);
}

async function copyInOneStep(file: string, target: string): Promise<void> {
  const source = new BetterSqlite(file, { readonly: true, fileMustExist: true });
  try {
    await source.backup(target, { progress: () => ALL_PAGES });
  } finally {
    source.close();
  }
  const copy = new BetterSqlite(target);
  try {
    copy.pragma('journal_mode = DELETE'); // a log would be a second file
  } finally {
    copy.close();
  }
}

/** Returns whether another process has the database open. No server opens a damaged one. */
export function isOpenElsewhere(file: string): boolean {
  const database = new BetterSqlite(file, { timeout: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('begin exclusive; rollback');
    return false;
  } catch (error) {
    const fault = storageFaultOf(error);
    if (fault === 'busy' || fault === 'damaged') return fault === 'busy';
    throw error;
  } finally {
    database.close();
  }
}

/** Returns the migrations that this program does not have, by number and name: a newer program wrote them. */
export function unknownMigrations(file: string): string[] {
  const known = new Set(MIGRATIONS.map(({ number }) => number));
  const database = new BetterSqlite(file, { readonly: true, fileMustExist: true });
  try {
    const applied = database
      .prepare<[], { number: number; name: string }>(
        'select number, name from schema_migrations order by number',
      )
      .all();
    return applied
      .filter(({ number }) => !known.has(number))
      .map(({ number, name }) => `${number} (${name})`);
  } finally {
    database.close();
  }
}
