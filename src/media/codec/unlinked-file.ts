import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes bytes to an unlinked file, so that none is left behind. The writes are positional, so the descriptor's own
 * offset stays at the beginning for the process that shares it. No stream wraps the handle, because its close would
 * wait for a stream that never closes, and no stream wraps the descriptor's number, because it would be closed twice.
 */
export async function writeUnlinkedFile(
  source: AsyncIterable<Uint8Array>,
  folder: string,
): Promise<FileHandle> {
  const path = join(folder, `.kept-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    let at = 0;
    for await (const bytes of source) {
      await writeWhole(file, bytes, at);
      at += bytes.length;
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function writeWhole(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
