/** The files of a data folder beside its database. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_FILE } from '../storage/index.ts';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** A name with a dot first is of something half done; what a restore took away is data of another time. */
const isOf = (name: string, top: boolean): boolean =>
  !name.startsWith('.') && !(top && (name.startsWith(DATABASE_FILE) || name.startsWith(REPLACED)));

/** A restore renames the data that it replaces to this prefix within the data folder. */
export const REPLACED = 'replaced-';

export interface DataFile {
  /** The path is relative to the data folder. */
  readonly path: string;
  /** Changes with what the file holds: no file is written twice under one of these. */
  readonly mark: string;
  readonly bytes: number;
}

/** Files that go while they are looked for are not among them. */
export async function* listDataFiles(data: string, below = ''): AsyncGenerator<DataFile> {
  const entries = await readdir(join(data, below), { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for (const entry of entries.filter(({ name }) => isOf(name, below === ''))) {
    const path = join(below, entry.name);
    if (entry.isDirectory()) yield* listDataFiles(data, path);
    else if (entry.isFile()) {
      const now = await fileStateOf(join(data, path));
      if (now !== null) yield { path, ...now };
    }
  }
}

async function fileStateOf(file: string): Promise<Omit<DataFile, 'path'> | null> {
  try {
    const { ino, size, mtimeMs } = await lstat(file);
    return { mark: `${ino} ${size} ${mtimeMs}`, bytes: size };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
