import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_FILE } from '../storage/index.ts';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Names with a leading dot are unfinished files. Folders of replaced data belong to an earlier restore. */
const isOf = (name: string, top: boolean): boolean =>
  !name.startsWith('.') && !(top && (name.startsWith(DATABASE_FILE) || name.startsWith(REPLACED)));

export const REPLACED = 'replaced-';

export interface DataFile {
  readonly path: string;
  readonly mark: string;
  readonly bytes: number;
}

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
