import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Bytes in a file without a name, so that nothing is left behind whatever happens. They are written by position: the
 * descriptor's own offset stays at the beginning, where whoever shares it reads from. No stream is made of the handle:
 * its close would wait for one that never closes itself, and one made of its number would close that number twice.
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
