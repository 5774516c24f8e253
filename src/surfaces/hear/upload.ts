/** An upload on its way to the decoder: a file without a name, so that nothing is left behind whatever happens. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface Upload {
  readonly path: string;
  discard(): Promise<void>;
}

export async function keepUpload(bytes: Readable, folder: string): Promise<Upload> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `.upload-${randomUUID()}`);
  const discard = async () => {
    await unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  };
  const file = await open(path, 'wx', 0o600);
  try {
    await pipeline(bytes, createWriteStream('', { fd: file.fd, autoClose: false }));
    return { path, discard };
  } catch (error) {
    await discard();
    throw error;
  } finally {
    await file.close();
  }
}
