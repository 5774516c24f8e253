import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream, type Stats } from 'node:fs';
import { access, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lowSpace } from '../free-space.ts';
import type { StoragePart } from '../storage.ts';
import type { BlobBody, BlobInfo, Blobs, ByteRange, ByteSource, PutOptions, PutResult } from './blobs.ts';
import { CountingSource } from './counting-source.ts';
import { type BlobKey, checkArea, checkKey, checkOwner } from './key.ts';

const LOW_SPACE_BYTES = 512 * 1024 * 1024;
/** The name is not a valid area, so no key leads to it. */
const UNFINISHED = '.unfinished';
const ABANDONED_MS = 15 * 60_000;

/** Neither an area nor an owner contains a dot, so no prefix is the beginning of another. */
const prefixOf = (area: string, owner: string): string => `${area}.${owner}.`;

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const infoOf = (stats: Stats): BlobInfo => ({ bytes: stats.size, modifiedAt: Math.round(stats.mtimeMs) });

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAll(file: FileHandle, source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of source) {
    for (let at = 0; at < chunk.byteLength; ) {
      at += (await file.write(chunk, at, chunk.byteLength - at)).bytesWritten;
    }
  }
  await file.sync();
}

/** A blob is at `root/area/xx/owner/name`, where xx comes from a hash of the owner and keeps folders small. */
export class FolderBlobs implements Blobs {
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
  }

  static async open(root: string): Promise<FolderBlobs> {
    await mkdir(join(root, UNFINISHED), { recursive: true });
    const blobs = new FolderBlobs(root);
    await blobs.sweep();
    return blobs;
  }

  /**
   * Removes uploads that a crash left unfinished, which no reader knows. Recent ones may belong to another process
   * and stay.
   */
  async sweep(): Promise<void> {
    const now = Date.now();
    for (const name of await this.#unfinished()) {
      const path = join(this.#root, UNFINISHED, name);
      const stats = await orNull(stat(path));
      if (stats && now - stats.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
    }
  }

  async put(key: BlobKey, source: ByteSource, options: PutOptions): Promise<PutResult> {
    const target = this.#path(key);
    const unfinished = join(this.#root, UNFINISHED, prefixOf(key.area, key.owner) + randomUUID());
    const counted = new CountingSource(source, options);
    const file = await open(unfinished, 'wx');
    try {
      try {
        await writeAll(file, counted);
      } finally {
        await file.close();
      }
      await this.#makeFolder(dirname(target));
      await rename(unfinished, target);
      await syncFolder(dirname(target));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    return counted.result();
  }

  async get(key: BlobKey, range?: ByteRange): Promise<BlobBody | null> {
    const file = await orNull(open(this.#path(key), 'r'));
    if (!file) return null;
    const info = infoOf(await file.stat());
    const span = range ? { start: range.first, end: range.last ?? Number.POSITIVE_INFINITY } : {};
    return { ...info, stream: createReadStream('', { fd: file, ...span }) };
  }

  async stat(key: BlobKey): Promise<BlobInfo | null> {
    const stats = await orNull(stat(this.#path(key)));
    return stats && infoOf(stats);
  }

  async delete(key: BlobKey): Promise<void> {
    await rm(this.#path(key), { force: true });
  }

  async deleteOwner(area: string, owner: string): Promise<void> {
    await rm(this.#ownerFolder(area, owner), { recursive: true, force: true });
    for (const name of await this.#unfinished())
      if (name.startsWith(prefixOf(area, owner)))
        await rm(join(this.#root, UNFINISHED, name), { force: true });
  }

  async list(area: string, owner: string): Promise<readonly (BlobInfo & { name: string })[]> {
    const folder = this.#ownerFolder(area, owner);
    const found: (BlobInfo & { name: string })[] = [];
    for (const name of ((await orNull(readdir(folder))) ?? []).sort()) {
      const stats = await orNull(stat(join(folder, name)));
      if (stats) found.push({ name, ...infoOf(stats) });
    }
    return found;
  }

  async *owners(area: string): AsyncIterable<string> {
    checkArea(area);
    for (const shard of (await orNull(readdir(join(this.#root, area)))) ?? []) {
      for (const owner of (await orNull(readdir(join(this.#root, area, shard)))) ?? []) {
        if ((await this.list(area, owner)).length > 0) yield owner;
      }
    }
  }

  async part(): Promise<StoragePart> {
    const name = 'blobs (folder)';
    try {
      await access(this.#root, constants.R_OK | constants.W_OK);
      const detail = await lowSpace(this.#root, LOW_SPACE_BYTES);
      return { name, ready: detail === null, required: true, ...(detail === null ? {} : { detail }) };
    } catch (error) {
      const detail = `${this.#root} can't be written: ${(error as Error).message}`;
      return { name, ready: false, required: true, detail };
    }
  }

  async close(): Promise<void> {}

  async #unfinished(): Promise<readonly string[]> {
    return (await orNull(readdir(join(this.#root, UNFINISHED)))) ?? [];
  }

  #ownerFolder(area: string, owner: string): string {
    checkOwner(area, owner);
    const shard = createHash('sha256').update(owner).digest('hex').slice(0, 2);
    return join(this.#root, area, shard, owner);
  }

  #path(key: BlobKey): string {
    checkKey(key);
    return join(this.#ownerFolder(key.area, key.owner), key.name);
  }

  /** A new folder is durable only after its parent folder is synced. */
  async #makeFolder(folder: string): Promise<void> {
    const first = await mkdir(folder, { recursive: true });
    if (!first) return;
    for (let made = folder; made.length >= first.length; made = dirname(made))
      await syncFolder(dirname(made));
  }
}
