/** Restores a backup into a data folder. It changes nothing there before it has verified every file of the backup. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_FILE, isOpenElsewhere, unknownMigrations } from '../storage/index.ts';
import { BackupError } from './backup-error.ts';
import { type Checksums, readChecksums } from './checksums.ts';
import { copyFile, sha256OfFile, syncFileSystem, syncFolder } from './copy-file.ts';
import { listDataFiles, REPLACED } from './data-files.ts';
import { DATA } from './take-backup.ts';

const RESTORING = '.restoring';
const DATABASE = `${DATA}/${DATABASE_FILE}`;
const NAMED_AT_MOST = 5;

export interface RestoreOptions {
  readonly backup: string;
  readonly data: string;
  readonly replace: boolean;
  readonly now: Date;
}

export interface RestoreSummary {
  readonly files: number;
  readonly aside: string | null;
}

export async function checkBackup(backup: string): Promise<number> {
  const sums = await readChecksums(backup);
  await verifyChecksums(sums, (path) => sha256OfFile(join(backup, path)));
  refuseNewer(backup, sums);
  return sums.size;
}

export async function restoreBackup({ backup, data, replace, now }: RestoreOptions): Promise<RestoreSummary> {
  const sums = await readChecksums(backup);
  if ((await existingDataIn(data)).length > 0) refuseOccupied(data, replace);
  const restoring = join(data, RESTORING);
  await rm(restoring, { recursive: true, force: true }); // A killed restore may have left it.
  await mkdir(restoring, { recursive: true, mode: 0o700 });
  await verifyChecksums(sums, (path) => copyFile(join(backup, path), join(restoring, path)));
  refuseNewer(restoring, sums);
  await carryOverErasures(data, join(restoring, DATA));
  await syncFileSystem(restoring);
  const there = await existingDataIn(data);
  const aside = there.length > 0 ? await moveAside(data, there, now) : null;
  await moveIn(join(restoring, DATA), data);
  await rm(restoring, { recursive: true });
  return { files: sums.size, aside };
}

async function existingDataIn(data: string): Promise<string[]> {
  const names = existsSync(data) ? await readdir(data) : [];
  return names.filter((name) => !name.startsWith('.') && !name.startsWith(REPLACED));
}

function refuseOccupied(data: string, replace: boolean): void {
  if (!replace)
    throw new BackupError(`${data} is not empty: use --replace to move its data aside and restore`);
  const database = join(data, DATABASE_FILE);
  if (existsSync(database) && isOpenElsewhere(database))
    throw new BackupError(`${data} is in use by a running server: stop it first`);
}

/**
 * This path within the data folder holds erasure orders. At start a server carries out those that its database does
 * not know.
 */
const ERASURES = join('blobs', 'erasures');

/** A person who was erased from the replaced data stays erased. A killed restore may have put such data aside too. */
async function carryOverErasures(data: string, restored: string): Promise<void> {
  const aside = (await readdir(data)).filter((name) => name.startsWith(REPLACED));
  for (const from of [data, ...aside.map((name) => join(data, name))])
    for await (const { path } of listDataFiles(from, ERASURES))
      if (!existsSync(join(restored, path))) await copyFile(join(from, path), join(restored, path));
}

async function verifyChecksums(sums: Checksums, read: (path: string) => Promise<string>): Promise<void> {
  if (!sums.has(DATABASE)) throw new BackupError(`the backup has no ${DATABASE}`);
  const wrong: string[] = [];
  for (const [path, sum] of sums) {
    const found = await read(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return 'missing';
      throw error;
    });
    if (found !== sum) wrong.push(found === 'missing' ? `${path} is missing` : `${path} was changed`);
  }
  if (wrong.length === 0) return;
  const more = wrong.length > NAMED_AT_MOST ? `, and ${wrong.length - NAMED_AT_MOST} more` : '';
  throw new BackupError(
    `the checksums of the backup do not match: ${wrong.slice(0, NAMED_AT_MOST).join(', ')}${more}. Nothing was restored.`,
  );
}

function refuseNewer(folder: string, sums: Checksums): void {
  if (!sums.has(DATABASE)) return;
  const [first] = unknownMigrations(join(folder, DATABASE));
  if (first === undefined) return;
  throw new BackupError(
    `a newer version wrote the backup: it has migration ${first}, which this program does not know. Install that version, then restore.`,
  );
}

async function moveAside(data: string, names: readonly string[], now: Date): Promise<string> {
  const aside = join(data, `${REPLACED}${now.toISOString().replace(/[:.]/g, '-')}`);
  await mkdir(aside, { mode: 0o700 });
  for (const name of names) await rename(join(data, name), join(aside, name));
  await syncFolder(data);
  return aside;
}

/** The database moves last: without it, no server takes the other files for its data. */
async function moveIn(from: string, data: string): Promise<void> {
  const names = await readdir(from);
  const last = (name: string) => (name === DATABASE_FILE ? 1 : 0);
  for (const name of names.sort((one, other) => last(one) - last(other)))
    await rename(join(from, name), join(data, name));
  await syncFolder(data);
}
