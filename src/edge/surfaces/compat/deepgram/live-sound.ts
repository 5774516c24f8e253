import { g711 } from '../../../../media/wire/index.ts';

export const LIVE_ENCODINGS = ['linear16', 'mulaw', 'alaw'] as const;
export type LiveEncoding = (typeof LIVE_ENCODINGS)[number];

const CODEC = { linear16: null, mulaw: 'pcmu', alaw: 'pcma' } as const;
const CONTAINERS: Readonly<Record<string, string>> = {
  '\x1aE\xdf\xa3': 'WebM',
  OggS: 'Ogg',
  fLaC: 'FLAC',
  RIFF: 'WAV',
};

export class LiveSound {
  readonly #codec: g711.G711 | null;
  readonly #channels: number;
  /** The rest of these bytes' sample arrives in the next message. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(encoding: LiveEncoding, channels: number) {
    this.#codec = CODEC[encoding];
    this.#channels = channels;
  }

  pcmOf(data: Uint8Array): Uint8Array {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, data]) : bufferOf(data);
    const frame = this.#channels * (this.#codec === null ? 2 : 1);
    const whole = bytes.length - (bytes.length % frame);
    this.#rest = Buffer.from(bytes.subarray(whole));
    const samples = bytes.subarray(0, whole);
    const pcm = this.#codec === null ? samples : g711.decode(this.#codec, samples);
    return this.#channels === 1 ? pcm : mixed(pcm, this.#channels);
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

function mixed(pcm: Buffer, channels: number): Buffer {
  const out = Buffer.alloc(pcm.length / channels);
  for (let at = 0; at < out.length; at += 2) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++) sum += pcm.readInt16LE(at * channels + channel * 2);
    out.writeInt16LE(Math.round(sum / channels), at);
  }
  return out;
}
