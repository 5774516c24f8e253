/** An upload on its way to the decoder: a file without a name, so that nothing is left behind whatever happens. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { keepInFile } from './keep.ts';

export interface Upload {
  /** Opens the file anew, from its beginning, as often as needed. */
  readonly path: string;
  discard(): Promise<void>;
}

/** Where a process finds its open files, on Linux. */
const OPEN_FILES = '/proc/self/fd';

export async function keepUpload(bytes: Readable, folder: string): Promise<Upload> {
  await mkdir(folder, { recursive: true });
  const file = await keepInFile(bytes, folder);
  return { path: join(OPEN_FILES, String(file.fd)), discard: () => file.close() };
}
