import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BYTES_PER_SECOND } from '../contract.ts';

const PIECE_SECONDS = 4;

/**
 * Spools decoded audio to disk instead of memory and reads it in blocks at any position. The files are unlinked, so
 * that the system frees them with the process, however that ends.
 */
export class AudioSpool {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<AudioSpool> {
    await mkdir(folder, { recursive: true });
    const spool = new AudioSpool(folder);
    await spool.sweep();
    return spool;
  }

  create(): SpooledAudio {
    return new SpooledAudio(this.#folder);
  }

  /** Removes files that an earlier release left with names. A process with such a file open can still read it. */
  async sweep(): Promise<void> {
    for (const name of await readdir(this.#folder))
      await rm(join(this.#folder, name), { recursive: true, force: true });
  }
}

export class SpooledAudio {
  readonly #folder: string;
  readonly #files: FileHandle[] = [];
  #seconds = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get seconds(): number {
    return this.#seconds;
  }

  get channels(): number {
    return this.#files.length;
  }

  async addChannel(pcm: AsyncIterable<Buffer>): Promise<void> {
    const path = join(this.#folder, randomUUID());
    const file = await open(path, 'wx+', 0o600);
    this.#files.push(file);
    // A sweep may have removed it already.
    await unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    let bytes = 0;
    for await (const chunk of pcm) {
      for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
      bytes += chunk.length;
    }
    this.#seconds = Math.max(this.#seconds, bytes / BYTES_PER_SECOND);
  }

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

  async *from(channel: number, start: number): AsyncGenerator<Buffer> {
    for (let at = start; ; at += PIECE_SECONDS) {
      const piece = await this.read(channel, at, at + PIECE_SECONDS);
      if (piece.length === 0) return;
      yield piece;
    }
  }

  async *until(channel: number, end: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < end; at += PIECE_SECONDS) {
      const piece = await this.read(channel, at, Math.min(end, at + PIECE_SECONDS));
      if (piece.length === 0) return;
      yield piece;
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.#files.splice(0).map((file) => file.close()));
  }
}

const byteOf = (seconds: number): number => Math.round((seconds * BYTES_PER_SECOND) / 2) * 2;
