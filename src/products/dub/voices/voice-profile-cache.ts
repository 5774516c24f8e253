import { readFile, rename, writeFile } from 'node:fs/promises';
import type { VoiceProfile } from './speaking.ts';

/** Vectors of two models cannot be compared, so a profile is stored under its model's name. */
const MODEL = 'campplus';
const keyOf = (voice: string): string => `${MODEL}/${voice}`;

interface CachedProfile {
  readonly pitchHz: number | null;
  /** Base64 of floats. */
  readonly vector: string | null;
}

const encode = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');

function decode(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** The cache holds the profiles of stock voices in a file, and measures them again where it cannot be read. */
export class VoiceProfileCache {
  readonly #path: string;
  #sounds: Promise<Map<string, CachedProfile>> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  async get(name: string): Promise<VoiceProfile | null> {
    const stored = (await this.#read()).get(keyOf(name));
    if (!stored) return null;
    return { pitchHz: stored.pitchHz, vector: stored.vector === null ? null : decode(stored.vector) };
  }

  /** A file that cannot be written costs time at the next start only. */
  async put(name: string, { pitchHz, vector }: VoiceProfile): Promise<void> {
    const sounds = await this.#read();
    sounds.set(keyOf(name), { pitchHz, vector: vector && encode(vector) });
    const arriving = `${this.#path}.${process.pid}`;
    try {
      await writeFile(arriving, JSON.stringify(Object.fromEntries(sounds)), { mode: 0o600 });
      await rename(arriving, this.#path);
    } catch {}
  }

  #read(): Promise<Map<string, CachedProfile>> {
    this.#sounds ??= readFile(this.#path, 'utf8')
      .then((text) => new Map(Object.entries(JSON.parse(text) as Record<string, CachedProfile>)))
      .catch(() => new Map<string, CachedProfile>());
    return this.#sounds;
  }
}
