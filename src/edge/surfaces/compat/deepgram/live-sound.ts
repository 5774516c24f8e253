import { convertAudio, downmix, SAMPLE_BYTES, type WireFormat } from '../../../../media/engine/index.ts';

export const LIVE_ENCODINGS = ['linear16', 'mulaw', 'alaw'] as const;
export type LiveEncoding = (typeof LIVE_ENCODINGS)[number];

export const WIRE_FORMATS = { linear16: 'pcm16', mulaw: 'pcmu', alaw: 'pcma' } as const;
const CONTAINERS: Readonly<Record<string, string>> = {
  '\x1aE\xdf\xa3': 'WebM',
  OggS: 'Ogg',
  fLaC: 'FLAC',
  RIFF: 'WAV',
};

export class LiveSound {
  readonly #format: WireFormat;
  readonly #channels: number;
  /** The rest of these bytes' sample arrives in the next message. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(encoding: LiveEncoding, channels: number) {
    this.#format = WIRE_FORMATS[encoding];
    this.#channels = channels;
  }

  pcmOf(data: Uint8Array): Uint8Array {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, data]) : bufferOf(data);
    const frame = this.#channels * SAMPLE_BYTES[this.#format];
    const whole = bytes.length - (bytes.length % frame);
    this.#rest = Buffer.from(bytes.subarray(whole));
    const samples = bytes.subarray(0, whole);
    const pcm = this.#format === 'pcm16' ? samples : convertAudio(this.#format, samples, 'pcm16');
    return this.#channels === 1 ? pcm : downmix(pcm, this.#channels);
  }
}

/**
 * Detects a container, whose bytes are not raw audio. MPEG frames are not detected, because silence in u-law looks
 * alike.
 */
export function containerOf(data: Uint8Array): string | null {
  const magic = bufferOf(data.subarray(0, 8)).toString('latin1');
  if (magic.slice(4) === 'ftyp') return 'MP4';
  return CONTAINERS[magic.slice(0, 4)] ?? null;
}

const bufferOf = (data: Uint8Array): Buffer => Buffer.from(data.buffer, data.byteOffset, data.byteLength);
