import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readWavHeader } from '../codec/index.ts';

const NAME = /^(ocl_[A-Za-z0-9]{20})\.wav$/;
const HEADER_BYTES = 44;
const CHUNK_BYTES = 256 * 1024;

export interface SpooledFile {
  readonly rate: number;
  /** Of samples. */
  readonly bytes: number;
  readonly pcm: () => AsyncGenerator<Buffer, void>;
}

/** The folder in which the engine writes what is being recorded: what a killed process has left there is still whole. */
export class Spool {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  path = (callId: string): string => join(this.#folder, `${callId}.wav`);

  /** The calls that have left a file. */
  async calls(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.flatMap((name) => NAME.exec(name)?.[1] ?? []);
  }

  remove = (callId: string): Promise<void> => rm(this.path(callId), { force: true });

  /** Null: nothing was recorded. What lies behind the samples that the header counts was being written when the process ended. */
  async find(callId: string): Promise<SpooledFile | null> {
    const path = this.path(callId);
    const file = await open(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (file === null) return null;
    try {
      const head = Buffer.alloc(HEADER_BYTES);
      const { bytesRead } = await file.read(head, 0, HEADER_BYTES, 0);
      const header = bytesRead === HEADER_BYTES ? readWavHeader(head) : undefined;
      if (header === undefined) return null;
      const { size } = await file.stat();
      const bytes = Math.min(head.readUInt32LE(40), size - HEADER_BYTES);
      return { rate: header.format.sampleRate, bytes, pcm: () => samplesOf(path, bytes) };
    } finally {
      await file.close();
    }
  }
}

async function* samplesOf(path: string, bytes: number): AsyncGenerator<Buffer, void> {
  const file = await open(path);
  try {
    for (let at = 0; at < bytes; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, bytes - at));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, HEADER_BYTES + at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
