import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readWavHeader } from '../codec/index.ts';
import { CHUNK_BYTES, type RecordedAudio } from './recorded-audio.ts';

/**
 * The engine's file of a call's first segment has no suffix, one of a later segment has its number. A number alone
 * marks what people said after the agent, by milliseconds after the agent's end; `beside` marks the two people of a
 * conference.
 */
const NAME = /^(ocl_[A-Za-z0-9]{20})(?:\.(s?[0-9]{1,10}|beside))?\.wav$/;
const HEADER_BYTES = 44;

/** The name of a segment among the files of its recording. */
export const segmentName = (number: number): string => `s${number}`;
const FIRST = segmentName(0);

export interface SpooledAudio extends RecordedAudio {
  read(from: number, bytes: number): Promise<Buffer>;
}

/** The engine writes to this folder. A file that a killed process left here is still complete. */
export class RecordingSpool {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  segmentPath = (callId: string, number: number): string => this.#path(callId, segmentName(number));

  /** The recording of two people starts `afterMs` after the agent's last sample; null means beside the agent. */
  bridgePath = (callId: string, afterMs: number | null): string =>
    this.#path(callId, afterMs === null ? 'beside' : String(afterMs));

  /** The names of the files of each call. */
  async files(): Promise<Map<string, string[]>> {
    const files = new Map<string, string[]>();
    for (const file of await readdir(this.#folder).catch(() => [])) {
      const [, callId, name = FIRST] = NAME.exec(file) ?? [];
      if (callId !== undefined) files.set(callId, [...(files.get(callId) ?? []), name]);
    }
    return files;
  }

  async remove(callId: string): Promise<void> {
    for (const name of (await this.files()).get(callId) ?? [])
      await rm(this.#path(callId, name), { force: true });
  }

  async find(callId: string): Promise<Map<string, SpooledAudio>> {
    const found = new Map<string, SpooledAudio>();
    for (const name of (await this.files()).get(callId) ?? []) {
      const audio = await this.open(callId, name);
      if (audio !== null) found.set(name, audio);
    }
    return found;
  }

  /**
   * Returns null for a missing file. Bytes beyond the length in the header were being written when the process ended.
   */
  async open(callId: string, name: string): Promise<SpooledAudio | null> {
    const path = this.#path(callId, name);
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
      return {
        rate: header.format.sampleRate,
        bytes,
        pcm: () => samplesOf(path, bytes),
        read: (from, length) => readSamples(path, from, length),
      };
    } finally {
      await file.close();
    }
  }

  #path = (callId: string, name: string): string =>
    join(this.#folder, name === FIRST ? `${callId}.wav` : `${callId}.${name}.wav`);
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

async function readSamples(path: string, from: number, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const samples = Buffer.alloc(length);
    const { bytesRead } = await file.read(samples, 0, length, HEADER_BYTES + from);
    return samples.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
