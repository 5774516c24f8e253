import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { writeUnlinkedFile } from './unlinked-file.ts';

export interface SpooledUpload {
  readonly path: string;
  discard(): Promise<void>;
}

const OPEN_FILES = '/proc/self/fd';

export async function spoolUpload(bytes: Readable, folder: string): Promise<SpooledUpload> {
  await mkdir(folder, { recursive: true });
  const file = await writeUnlinkedFile(bytes, folder);
  return { path: join(OPEN_FILES, String(file.fd)), discard: () => file.close() };
}
