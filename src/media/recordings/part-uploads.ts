import type { RecordingParts } from './recording-parts.ts';
import type { RecordingSpool } from './recording-spool.ts';

/** It bounds the memory of an upload, and how long sealing it keeps the event loop. */
const PART_BYTES = 1024 * 1024;
const AT_ONCE = 4;

export interface PartUploadsOptions {
  readonly spool: RecordingSpool;
  readonly parts: RecordingParts;
  readonly onPart: (outcome: 'stored' | 'failed') => void;
}

/** Stores what the files of live recordings have gained, in parts. The files stay, so a failed upload is repeated. */
export class PartUploads {
  readonly #options: PartUploadsOptions;
  /** The store has this many bytes of each file of a recording. */
  readonly #stored = new Map<string, Map<string, number>>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: PartUploadsOptions) {
    this.#options = options;
  }

  /** The store has nothing of this recording yet. */
  begin(callId: string): void {
    if (!this.#stored.has(callId)) this.#stored.set(callId, new Map());
  }

  /** Rejects with the first failure, after which it begins with no further recording. */
  async upload(callIds: readonly string[]): Promise<void> {
    const files = await this.#options.spool.files();
    const waiting = [...callIds];
    const worker = async () => {
      for (let callId = waiting.shift(); callId !== undefined; callId = waiting.shift())
        try {
          await this.#oneByOne(callId, files.get(callId) ?? []);
        } catch (error) {
          waiting.length = 0;
          throw error;
        }
    };
    const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  hasUploaded = (callId: string): boolean => (this.#stored.get(callId)?.size ?? 0) > 0;

  forget(callId: string): void {
    this.#stored.delete(callId);
  }

  /** Two uploads of one file at once would store parts that overlap. */
  async #oneByOne(callId: string, names: readonly string[]): Promise<void> {
    const before = this.#running.get(callId) ?? Promise.resolve();
    const running = before.catch(() => undefined).then(() => this.#uploadCall(callId, names));
    this.#running.set(callId, running);
    try {
      await running;
    } finally {
      if (this.#running.get(callId) === running) this.#running.delete(callId);
    }
  }

  async #uploadCall(callId: string, names: readonly string[]): Promise<void> {
    const { spool, parts, onPart } = this.#options;
    const stored = this.#stored.get(callId) ?? (await this.#found(callId));
    this.#stored.set(callId, stored);
    for (const file of names) {
      const audio = await spool.open(callId, file);
      if (audio === null) continue;
      for (let from = stored.get(file) ?? 0; from < audio.bytes; ) {
        const samples = await audio.read(from, Math.min(PART_BYTES, audio.bytes - from));
        if (samples.length === 0) break;
        try {
          await parts.put(callId, { file, rate: audio.rate, from }, samples);
        } catch (error) {
          onPart('failed');
          throw error;
        }
        onPart('stored');
        from += samples.length;
        stored.set(file, from);
      }
    }
  }

  /** A process that was restarted goes on where the one before it stopped. */
  async #found(callId: string): Promise<Map<string, number>> {
    const found = await this.#options.parts.find(callId);
    return new Map([...found].map(([file, { bytes }]) => [file, bytes]));
  }
}
