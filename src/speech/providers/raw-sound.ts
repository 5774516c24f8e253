import { measureAudio } from '../../media/engine/index.ts';
import { ProviderError } from './contract.ts';

const CONTAINERS: readonly (readonly [string, (head: Buffer) => boolean])[] = [
  ['WAV', (head) => head.toString('latin1', 0, 4) === 'RIFF'],
  ['MP3', (head) => head.toString('latin1', 0, 3) === 'ID3'],
  ['Ogg', (head) => head.toString('latin1', 0, 4) === 'OggS'],
  ['FLAC', (head) => head.toString('latin1', 0, 4) === 'fLaC'],
  ['JSON', (head) => /^\s*\{\s*"/.test(head.toString('latin1'))],
];
const HEAD_BYTES = 16;

/** Turns pieces of any size into whole PCM16 samples. It rejects containers, which would play as noise. */
export class RawSound {
  #odd: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #isFirst = true;

  take(bytes: Uint8Array): Buffer {
    const all =
      this.#odd.length === 0
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        : Buffer.concat([this.#odd, bytes]);
    if (this.#isFirst && all.length < HEAD_BYTES) {
      this.#odd = all;
      return Buffer.alloc(0);
    }
    if (this.#isFirst) refuseContainer(all);
    this.#isFirst = false;
    const whole = all.length & ~1;
    this.#odd = all.subarray(whole);
    return all.subarray(0, whole);
  }
}

function refuseContainer(head: Buffer): void {
  const found = CONTAINERS.find(([, begins]) => begins(head));
  if (found === undefined) return;
  throw new ProviderError('garbage', `the provider sent ${found[0]}, but raw PCM16 was requested`);
}

/** A peak of about -50 dBFS: providers send digital silence, or dither far below this. */
const SILENT_PEAK = 100;

export const leadingSilenceBytes = (pcm: Uint8Array): number =>
  2 * measureAudio('pcm16', pcm, SILENT_PEAK).quietBefore;

export function trailingSilence(
  pcm: Uint8Array,
  rate: number,
): { readonly ms: number; readonly isSilent: boolean } {
  const { samples, quietAfter } = measureAudio('pcm16', pcm, SILENT_PEAK);
  return { ms: (quietAfter / rate) * 1000, isSilent: quietAfter === samples };
}
