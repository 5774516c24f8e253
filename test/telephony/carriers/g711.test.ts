import { describe, expect, it } from 'vitest';
import { g711 } from '../../../src/media/wire/index.ts';

const pcm = (...samples: number[]): Buffer => Buffer.from(Int16Array.from(samples).buffer);

describe('G.711', () => {
  // The values are those of the ITU-T G.191 reference at the corners of the segments.
  it.each([
    ['pcmu', [0xff, 0x80, 0x00, 0x7f, 0xf0, 0x8f], [0, 32124, -32124, 0, 120, 16764]],
    ['pcma', [0xd5, 0xaa, 0x2a, 0x55, 0x80, 0x00], [8, 32256, -32256, -8, 5504, -5504]],
  ] as const)('decodes %s as its tables say', (codec, bytes, samples) => {
    expect([...new Int16Array(new Uint8Array(g711.decode(codec, Buffer.from(bytes))).buffer)]).toEqual(
      samples,
    );
  });

  it.each(['pcmu', 'pcma'] as const)('gives each code of %s back, and loses little of a sample', (codec) => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, code) => code));
    const back = g711.encode(codec, g711.decode(codec, all));
    // u-law has two zeros, and the encoder never makes the negative one.
    expect([...back].map((code) => (codec === 'pcmu' && code === 0xff ? 0x7f : code))).toEqual(
      [...all].map((code) => (codec === 'pcmu' && code === 0xff ? 0x7f : code)),
    );
    for (let sample = -32_768; sample < 32_768; sample += 97) {
      const error = Math.abs(g711.decode(codec, g711.encode(codec, pcm(sample))).readInt16LE(0) - sample);
      expect(error).toBeLessThanOrEqual(Math.max(16, Math.abs(sample) / 16 + 4));
    }
  });
});
