import { type FileHandle, mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BYTES_PER_SECOND } from '../contract.ts';

const PIECE_SECONDS = 4;
const ABANDONED_MS = 24 * 3600 * 1000;

/** Another node's job may have ended just now, and taken its audio away. */
function notThere(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** Decoded audio waits on disk, not in memory: it is read in blocks, at any place, as often as needed. */
export class Spool {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<Spool> {
    await mkdir(folder, { recursive: true });
    // Left by a process that was killed.
    for (const name of await readdir(folder)) {
      const stats = await stat(join(folder, name)).catch(notThere);
      if (stats && Date.now() - stats.mtimeMs > ABANDONED_MS)
        await rm(join(folder, name), { recursive: true, force: true });
    }
    return new Spool(folder);
  }

  async create(): Promise<SpooledAudio> {
    return new SpooledAudio(await mkdtemp(join(this.#folder, 'audio-')));
  }
}

export class SpooledAudio {
  readonly #folder: string;
  readonly #files: FileHandle[] = [];
  #seconds = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Of the longest channel. */
  get seconds(): number {
    return this.#seconds;
  }

  get channels(): number {
    return this.#files.length;
  }

  async addChannel(pcm: AsyncIterable<Buffer>): Promise<void> {
    const file = await open(join(this.#folder, String(this.#files.length)), 'wx+');
    this.#files.push(file);
    let bytes = 0;
    for await (const chunk of pcm) {
      for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
      bytes += chunk.length;
    }
    this.#seconds = Math.max(this.#seconds, bytes / BYTES_PER_SECOND);
  }

  /** The samples from one time to another; fewer where the channel ends. */
  async read(channel: number, from: number, to: number): Promise<Buffer> {
    const start = byteOf(from);
    const buffer = Buffer.allocUnsafe(Math.max(0, byteOf(to) - start));
    const file = this.#files[channel] as FileHandle;
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled - (filled % 2));
  }

  /** Everything from a time on, a piece at a time. */
  async *from(channel: number, start: number): AsyncGenerator<Buffer> {
    for (let at = start; ; at += PIECE_SECONDS) {
      const piece = await this.read(channel, at, at + PIECE_SECONDS);
      if (piece.length === 0) return;
      yield piece;
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.#files.map((file) => file.close()));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

const byteOf = (seconds: number): number => Math.round((seconds * BYTES_PER_SECOND) / 2) * 2;
