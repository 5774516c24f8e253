import { g711 } from '../../media/wire/index.ts';

/** The audio that participants of a conference say and hear. */
export interface MixerFormat {
  /** Samples per second. */
  readonly rate: number;
  readonly bytesPerMs: number;
  /** A byte of silence. */
  readonly silence: number;
  /** Adds up the voices, of which each is at most `length` bytes long. */
  mix(voices: readonly Uint8Array[], length: number): Uint8Array;
  /** Both convert signed 16-bit little-endian samples. */
  decode(audio: Uint8Array): Buffer;
  encode(pcm: Buffer): Uint8Array;
}

export const ULAW: MixerFormat = {
  rate: 8000,
  bytesPerMs: 8,
  silence: g711.SILENCE.pcmu,
  mix: (voices, length) => g711.encode('pcmu', g711.mix('pcmu', voices, length)),
  decode: (audio) => g711.decode('pcmu', audio),
  encode: (pcm) => g711.encode('pcmu', pcm),
};

export const pcm16At = (rate: number): MixerFormat => ({
  rate,
  bytesPerMs: (2 * rate) / 1000,
  silence: 0,
  mix: mixPcm16,
  decode: (audio) => Buffer.from(audio),
  encode: (pcm) => pcm,
});

function mixPcm16(voices: readonly Uint8Array[], length: number): Buffer {
  const buffers = voices.map((voice) => Buffer.from(voice.buffer, voice.byteOffset, voice.byteLength));
  const mixed = Buffer.alloc(length);
  for (let at = 0; at + 1 < length; at += 2) {
    let sum = 0;
    for (const voice of buffers) if (at + 1 < voice.length) sum += voice.readInt16LE(at);
    mixed.writeInt16LE(Math.max(-32_768, Math.min(32_767, sum)), at);
  }
  return mixed;
}
