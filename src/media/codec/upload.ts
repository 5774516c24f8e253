/** An upload on its way to the decoder: a file without a name, so that nothing is left behind whatever happens. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { writeUnlinkedFile } from './unlinked-file.ts';

export interface SpooledUpload {
  /** Opens the file anew, from its beginning, as often as needed. */
  readonly path: string;
  discard(): Promise<void>;
}

/** Where a process finds its open files, on Linux. */
const OPEN_FILES = '/proc/self/fd';

export async function spoolUpload(bytes: Readable, folder: string): Promise<SpooledUpload> {
  await mkdir(folder, { recursive: true });
  const file = await writeUnlinkedFile(bytes, folder);
  return { path: join(OPEN_FILES, String(file.fd)), discard: () => file.close() };
}
