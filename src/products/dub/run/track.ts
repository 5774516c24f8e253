import type { Blobs } from '../../../foundation/storage/index.ts';
import { DUB_VOICE_RATE } from '../../../media/engine/index.ts';
import type { SpokenSegment } from '../contract.ts';
import { fileKey } from '../keys-and-queues.ts';

const SAMPLE_BYTES = 2;
const BYTES_PER_MS = (DUB_VOICE_RATE * SAMPLE_BYTES) / 1000;

const byteOf = (milliseconds: number): number => Math.round((milliseconds * BYTES_PER_MS) / 2) * 2;

/** The new speech on the time line; only the requested part is in memory. */
export class VoiceTrack {
  readonly #blobs: Blobs;
  readonly #id: string;
  readonly #spoken: readonly SpokenSegment[];
  readonly #held = new Map<string, Buffer>();

  constructor(blobs: Blobs, id: string, spoken: readonly SpokenSegment[]) {
    this.#blobs = blobs;
    this.#id = id;
    this.#spoken = spoken;
  }

  /** Returns PCM16 at DUB_VOICE_RATE, with silence between speakers. */
  async between(fromMs: number, toMs: number): Promise<Buffer> {
    const from = byteOf(fromMs);
    const track = Buffer.alloc(byteOf(toMs) - from);
    for (const spoken of this.#spoken) {
      const { name, at_ms, duration_ms } = spoken;
      if (at_ms >= toMs) continue;
      if (at_ms + duration_ms + 1 <= fromMs) {
        this.#held.delete(name);
        continue;
      }
      const pcm = await this.#read(name);
      const at = byteOf(at_ms) - from;
      pcm.copy(track, Math.max(0, at), Math.max(0, -at));
    }
    return track;
  }

  async #read(name: string): Promise<Buffer> {
    const held = this.#held.get(name);
    if (held) return held;
    const body = await this.#blobs.get(fileKey(this.#id, name));
    if (!body) throw new Error(`the audio ${name} is missing`);
    const parts: Buffer[] = [];
    for await (const part of body.stream) parts.push(part as Buffer);
    const pcm = Buffer.concat(parts);
    this.#held.set(name, pcm);
    return pcm;
  }
}
