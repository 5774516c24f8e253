import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { copyDatabase, DATABASE_FILE } from '../storage/index.ts';
import { BackupError } from './backup-error.ts';
import { writeChecksums } from './checksums.ts';
import { copyFile, sha256OfFile, syncFileSystem, syncFolder } from './copy-file.ts';
import { type DataFile, listDataFiles } from './data-files.ts';

export const DATA = 'data';
const ABOUT_FILE = 'about.json';
const UNFINISHED = '.unfinished';

export interface TakeOptions {
  readonly data: string;
  readonly target: string;
  readonly version: string;
  readonly now: Date;
}

export interface BackupSummary {
  readonly files: number;
  readonly bytes: number;
}

export async function takeBackup({ data, target, version, now }: TakeOptions): Promise<BackupSummary> {
  refuse(data, target);
  const unfinished = target + UNFINISHED;
  await rm(unfinished, { recursive: true, force: true }); // A killed backup may have left it.
  try {
    const taken = await fill(data, unfinished, { format: 1, taken_at: now.toISOString(), version });
    await syncFileSystem(unfinished);
    await rename(unfinished, target);
    await syncFolder(dirname(target));
    return taken;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function fill(data: string, folder: string, about: object): Promise<BackupSummary> {
  const database = join(folder, DATA, DATABASE_FILE);
  await mkdir(dirname(database), { recursive: true, mode: 0o700 });
  const copies = new FileCopies(data, join(folder, DATA));
  // The server writes a row after its file, so the files that the copied database names exist already or appear
  // shortly after.
  await copies.catchUp();
  await copies.forgetGone();
  const damage = await copyDatabase(data, database);
  if (damage !== null) throw new BackupError(`${join(data, DATABASE_FILE)} is damaged (${damage})`);
  await copies.catchUp();
  const sums = new Map([[`${DATA}/${DATABASE_FILE}`, await sha256OfFile(database)]]);
  for (const [path, sum] of copies.sums) sums.set(`${DATA}/${path}`, sum);
  await writeFile(join(folder, ABOUT_FILE), `${JSON.stringify(about, null, 2)}\n`);
  sums.set(ABOUT_FILE, await sha256OfFile(join(folder, ABOUT_FILE)));
  await writeChecksums(folder, sums);
  return { files: copies.sums.size + 1, bytes: copies.bytes + (await stat(database)).size };
}

function refuse(data: string, target: string): void {
  if (existsSync(target)) throw new BackupError(`${target} already exists: choose a new folder`);
  if (`${resolve(target)}${sep}`.startsWith(`${resolve(data)}${sep}`))
    throw new BackupError(`${target} is inside the data folder: choose a folder outside of it`);
  if (!existsSync(join(data, DATABASE_FILE)))
    throw new BackupError(`${data} has no ${DATABASE_FILE}: there is nothing to back up`);
}

class FileCopies {
  readonly #data: string;
  readonly #to: string;
  readonly #seen = new Map<string, DataFile>();
  readonly sums = new Map<string, string>();

  constructor(data: string, to: string) {
    this.#data = data;
    this.#to = to;
  }

  get bytes(): number {
    return [...this.#seen.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async catchUp(): Promise<void> {
    for await (const found of listDataFiles(this.#data)) {
      if (this.#seen.get(found.path)?.mark !== found.mark) await this.#copy(found);
    }
  }

  /** Removes files that were deleted during the backup; in a restored copy nothing would ever delete them again. */
  async forgetGone(): Promise<void> {
    for (const path of [...this.#seen.keys()])
      if (!existsSync(join(this.#data, path))) {
        await rm(join(this.#to, path), { force: true });
        this.#seen.delete(path);
        this.sums.delete(path);
      }
  }

  async #copy(found: DataFile): Promise<void> {
    const { path } = found;
    try {
      const sum = await copyFile(join(this.#data, path), join(this.#to, path));
      this.sums.set(path, sum);
      this.#seen.set(path, found);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
