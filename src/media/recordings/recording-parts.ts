import { SEALED_EXTRA_BYTES, type Sealer } from '../../foundation/access/index.ts';
import type { Blobs } from '../../foundation/storage/index.ts';
import type { RecordedAudio } from './recorded-audio.ts';

export const RECORDING_PARTS_AREA = 'recording-parts';
/** `s0.8000.000000480000`: the file of the recording, its rate, and the part's first byte of samples. */
const NAME = /^(s?[0-9]{1,10}|beside)\.([0-9]{4,6})\.([0-9]{12})$/;
const PUT_WITHIN_MS = 20_000;

export interface Part {
  readonly file: string;
  readonly rate: number;
  readonly from: number;
}

interface StoredPart extends Part {
  readonly bytes: number;
}

const nameOf = ({ file, rate, from }: Part): string => `${file}.${rate}.${String(from).padStart(12, '0')}`;

/**
 * The parts of the recordings of live calls in the object store, so that a lost disk does not lose them. They are
 * sealed, because personal data is covered by a tone only once the call has ended.
 */
export class RecordingParts {
  readonly #blobs: Blobs;
  readonly #sealer: Sealer;

  constructor(blobs: Blobs, sealer: Sealer) {
    this.#blobs = blobs;
    this.#sealer = sealer;
  }

  async put(callId: string, part: Part, samples: Buffer): Promise<void> {
    const name = nameOf(part);
    const sealed = this.#sealer.sealBytes(samples, `${callId} ${name}`);
    await this.#blobs.put({ area: RECORDING_PARTS_AREA, owner: callId, name }, [sealed], {
      payer: null,
      signal: AbortSignal.timeout(PUT_WITHIN_MS),
    });
  }

  /** Returns each file of the recording up to its first missing part. */
  async find(callId: string): Promise<Map<string, RecordedAudio>> {
    const found = new Map<string, RecordedAudio>();
    for (const [file, parts] of await this.#list(callId)) {
      const rate = parts[0]?.rate as number;
      const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
      found.set(file, { rate, bytes, pcm: () => this.#samples(callId, parts) });
    }
    return found;
  }

  remove = (callId: string): Promise<void> => this.#blobs.deleteOwner(RECORDING_PARTS_AREA, callId);

  calls = (): AsyncIterable<string> => this.#blobs.owners(RECORDING_PARTS_AREA);

  async #list(callId: string): Promise<Map<string, StoredPart[]>> {
    const files = new Map<string, StoredPart[]>();
    for (const { name, bytes } of await this.#blobs.list(RECORDING_PARTS_AREA, callId)) {
      const [, file, rate, from] = NAME.exec(name) ?? [];
      if (file === undefined) continue;
      const part = { file, rate: Number(rate), from: Number(from), bytes: bytes - SEALED_EXTRA_BYTES };
      files.set(file, [...(files.get(file) ?? []), part]);
    }
    for (const [file, parts] of files) {
      let end = 0;
      const whole = parts
        .sort((a, b) => a.from - b.from)
        .filter(({ from, bytes }) => {
          if (from !== end) return false;
          end += bytes;
          return true;
        });
      if (whole.length === 0) files.delete(file);
      else files.set(file, whole);
    }
    return files;
  }

  async *#samples(callId: string, parts: readonly StoredPart[]): AsyncGenerator<Buffer, void> {
    for (const part of parts) {
      const name = nameOf(part);
      const body = await this.#blobs.get({ area: RECORDING_PARTS_AREA, owner: callId, name });
      if (body === null)
        throw new Error(`The part ${name} of the recording ${callId} was removed meanwhile.`);
      const chunks: Buffer[] = [];
      for await (const chunk of body.stream) chunks.push(chunk as Buffer);
      yield this.#sealer.openBytes(Buffer.concat(chunks), `${callId} ${name}`);
    }
  }
}
