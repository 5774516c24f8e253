import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readWavHeader } from '../codec/index.ts';
import { overlayConference } from './conference-overlay.ts';

/**
 * The engine's file of a call has no suffix. A number marks what people said after the agent, by milliseconds after
 * the agent's end; `beside` marks the two people of a conference.
 */
const NAME = /^(ocl_[A-Za-z0-9]{20})(?:\.([0-9]{1,10}|beside))?\.wav$/;
const HEADER_BYTES = 44;
const CHUNK_BYTES = 256 * 1024;
const FRAME_BYTES = 4;

export interface SpooledFile {
  readonly rate: number;
  readonly bytes: number;
  readonly pcm: () => AsyncGenerator<Buffer, void>;
  readonly isConference?: true;
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

  path = (callId: string): string => join(this.#folder, `${callId}.wav`);

  /** The recording of two people starts `afterMs` after the agent's last sample; null means beside the agent. */
  bridgePath = (callId: string, afterMs: number | null): string =>
    join(this.#folder, `${callId}.${afterMs ?? 'beside'}.wav`);

  async calls(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return [...new Set(names.flatMap((name) => NAME.exec(name)?.[1] ?? []))];
  }

  async remove(callId: string): Promise<void> {
    await rm(this.path(callId), { force: true });
    await rm(this.bridgePath(callId, null), { force: true });
    for (const { path } of await this.#talks(callId)) await rm(path, { force: true });
  }

  /** Joins all recordings of a call with silence in between. Returns null where nothing was recorded. */
  async find(callId: string): Promise<SpooledFile | null> {
    const agents = await this.#read(this.path(callId));
    if (agents === null) return null;
    const bridged = await this.#read(this.bridgePath(callId, null));
    let whole = bridged?.rate === agents.rate ? together(agents, bridged) : agents;
    for (const { path, afterMs } of await this.#talks(callId)) {
      const talk = await this.#read(path);
      if (talk?.rate === agents.rate) whole = joined(whole, afterMs, talk);
    }
    return whole;
  }

  async #talks(callId: string): Promise<{ readonly path: string; readonly afterMs: number }[]> {
    const names = await readdir(this.#folder).catch(() => []);
    return names.flatMap((name) => {
      const [, owner, after] = NAME.exec(name) ?? [];
      return owner === callId && after !== undefined && after !== 'beside'
        ? [{ path: join(this.#folder, name), afterMs: Number(after) }]
        : [];
    });
  }

  /**
   * Returns null for a missing file. Bytes beyond the length in the header were being written when the process ended.
   */
  async #read(path: string): Promise<SpooledFile | null> {
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

const together = (agents: SpooledFile, bridged: SpooledFile): SpooledFile => ({
  ...agents,
  isConference: true,
  pcm: () => overlayConference(agents.pcm(), bridged.pcm()),
});

function joined(first: SpooledFile, afterMs: number, second: SpooledFile): SpooledFile {
  const silent = Math.round((afterMs * first.rate) / 1000) * FRAME_BYTES;
  return {
    ...first,
    bytes: first.bytes + silent + second.bytes,
    pcm: async function* () {
      yield* first.pcm();
      for (let at = 0; at < silent; at += CHUNK_BYTES) yield Buffer.alloc(Math.min(CHUNK_BYTES, silent - at));
      yield* second.pcm();
    },
  };
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
