/** Tables of G.711, for code that needs samples outside the engine: WebRTC's process and conferences. */

export type G711 = 'pcmu' | 'pcma';

const BIAS = 0x84;
const CLIP = 32_635;

function ulawToLinear(byte: number): number {
  const code = ~byte & 0xff;
  const magnitude = ((((code & 0x0f) << 3) + BIAS) << ((code & 0x70) >> 4)) - BIAS;
  return code & 0x80 ? -magnitude : magnitude;
}

function alawToLinear(byte: number): number {
  const code = byte ^ 0x55;
  const exponent = (code & 0x70) >> 4;
  const mantissa = ((code & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return code & 0x80 ? magnitude : -magnitude;
}

function linearToUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), CLIP) + BIAS;
  const exponent = Math.max(0, 24 - Math.clz32(magnitude));
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

function linearToAlaw(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80;
  const magnitude = Math.min(sample < 0 ? -sample - 1 : sample, 32_767);
  const exponent = Math.max(0, 24 - Math.clz32(magnitude));
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 0x0f;
  return (sign | (exponent << 4) | mantissa) ^ 0x55;
}

const decoding = (linear: (byte: number) => number): Int16Array =>
  Int16Array.from({ length: 256 }, (_, byte) => linear(byte));
const encoding = (code: (sample: number) => number): Uint8Array =>
  Uint8Array.from({ length: 65_536 }, (_, index) => code(index - 32_768));

const DECODED = { pcmu: decoding(ulawToLinear), pcma: decoding(alawToLinear) };
const ENCODED = { pcmu: encoding(linearToUlaw), pcma: encoding(linearToAlaw) };

export const SILENCE = { pcmu: 0xff, pcma: 0xd5 } as const;

export function decode(codec: G711, bytes: Uint8Array): Buffer {
  const table = DECODED[codec];
  const pcm = Buffer.allocUnsafe(bytes.length * 2);
  for (let i = 0; i < bytes.length; i++) pcm.writeInt16LE(table[bytes[i] as number] as number, i * 2);
  return pcm;
}

export function encode(codec: G711, pcm: Buffer): Buffer {
  const table = ENCODED[codec];
  const bytes = Buffer.allocUnsafe(pcm.length >> 1);
  for (let i = 0; i < bytes.length; i++) bytes[i] = table[pcm.readInt16LE(i * 2) + 32_768] as number;
  return bytes;
}

export function mix(codec: G711, voices: readonly Uint8Array[], length: number): Buffer {
  const table = DECODED[codec];
  const pcm = Buffer.alloc(length * 2);
  for (let i = 0; i < length; i++) {
    let sum = 0;
    for (const voice of voices) sum += table[voice[i] as number] as number;
    pcm.writeInt16LE(Math.max(-32_768, Math.min(32_767, sum)), i * 2);
  }
  return pcm;
}
