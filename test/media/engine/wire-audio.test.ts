import { describe, expect, it } from 'vitest';
import {
  addAudio,
  addTone,
  convertAudio,
  downmix,
  floatSamples,
  interleave,
  measureAudio,
  mixAudio,
  resample,
  SAMPLE_BYTES,
  SILENCE_BYTE,
  type WireFormat,
} from '../../../src/media/engine/index.ts';
import { fc } from '../../property-tests.ts';

const FORMATS = ['pcm16', 'pcmu', 'pcma'] as const;
const formats = fc.constantFrom<WireFormat>(...FORMATS);
const bytes = (maxLength = 1500) => fc.uint8Array({ maxLength });
const whole = (format: WireFormat, all: Uint8Array): Uint8Array =>
  all.subarray(0, all.length - (all.length % SAMPLE_BYTES[format]));

const pcm = (...samples: number[]): Buffer => Buffer.from(Int16Array.from(samples).buffer);
const samplesOf = (all: Uint8Array): number[] => [
  ...new Int16Array(Uint8Array.from(all.subarray(0, all.length & ~1)).buffer),
];
const decoded = (format: WireFormat, all: Uint8Array): number[] =>
  samplesOf(convertAudio(format, all, 'pcm16'));
const clipped = (sample: number): number => Math.max(-32_768, Math.min(32_767, sample));

/** The same bytes at an odd address, as a message of a socket may have them. */
const shifted = (all: Uint8Array): Uint8Array => {
  const moved = new Uint8Array(all.length + 1);
  moved.set(all, 1);
  return moved.subarray(1);
};

describe('G.711', () => {
  // The values are those of the ITU-T G.191 reference at the corners of the segments.
  it.each([
    ['pcmu', [0xff, 0x80, 0x00, 0x7f, 0xf0, 0x8f], [0, 32124, -32124, 0, 120, 16764]],
    ['pcma', [0xd5, 0xaa, 0x2a, 0x55, 0x80, 0x00], [8, 32256, -32256, -8, 5504, -5504]],
  ] as const)('decodes %s as its tables say', (codec, codes, samples) => {
    expect(decoded(codec, Buffer.from(codes))).toEqual(samples);
  });

  it.each(['pcmu', 'pcma'] as const)('gives each code of %s back, and loses little of a sample', (codec) => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, code) => code));
    const back = convertAudio('pcm16', convertAudio(codec, all, 'pcm16'), codec);
    // u-law has two zeros, and the encoder never makes the negative one.
    expect([...back]).toEqual([...all].map((code) => (codec === 'pcmu' && code === 0x7f ? 0xff : code)));
    for (let sample = -32_768; sample < 32_768; sample += 97) {
      const [heard] = decoded(codec, convertAudio('pcm16', pcm(sample), codec)) as [number];
      expect(Math.abs(heard - sample)).toBeLessThanOrEqual(Math.max(16, Math.abs(sample) / 16 + 4));
    }
  });

  it.each(FORMATS)('has the byte of silence of %s', (format) => {
    const [silence] = decoded(format, new Uint8Array(SAMPLE_BYTES[format]).fill(SILENCE_BYTE[format]));
    expect(Math.abs(silence!)).toBeLessThanOrEqual(8);
  });
});

describe('conversion', () => {
  it('is the same at any address and for any split, and ignores half a sample', () => {
    fc.assert(
      fc.property(formats, formats, bytes(), fc.nat(), (from, to, all, cut) => {
        const converted = convertAudio(from, all, to);
        expect(converted.length).toBe(Math.floor(all.length / SAMPLE_BYTES[from]) * SAMPLE_BYTES[to]);
        expect(convertAudio(from, shifted(all), to)).toEqual(converted);
        const at = (cut % (all.length + 1)) & ~1;
        const parts = [all.subarray(0, at), all.subarray(at)].map((part) => convertAudio(from, part, to));
        expect(Buffer.concat(parts)).toEqual(converted);
      }),
    );
  });

  it('by way of PCM is the direct one', () => {
    fc.assert(
      fc.property(formats, formats, bytes(), (from, to, all) => {
        expect(convertAudio('pcm16', convertAudio(from, all, 'pcm16'), to)).toEqual(
          convertAudio(from, all, to),
        );
      }),
    );
  });
});

describe('mixing', () => {
  it('adds what the voices say, saturates the sum, and does not depend on their order', () => {
    fc.assert(
      fc.property(formats, fc.array(bytes(700), { maxLength: 6 }), fc.nat(800), (format, voices, samples) => {
        const length = samples * SAMPLE_BYTES[format];
        const heard = voices.map((voice) => decoded(format, voice));
        const sum = Array.from({ length: samples }, (_, at) =>
          clipped(heard.reduce((total, voice) => total + (voice[at] ?? 0), 0)),
        );
        const mixed = mixAudio(format, voices.map(shifted), length);
        expect(mixed).toEqual(convertAudio('pcm16', pcm(...sum), format));
        expect(mixAudio(format, [...voices].reverse(), length)).toEqual(mixed);
      }),
    );
  });

  it('scales what it adds, and leaves the other channel alone', () => {
    fc.assert(
      fc.property(bytes(400), bytes(400), fc.double({ min: 0, max: 1, noNaN: true }), (left, right, gain) => {
        const length = Math.min(left.length, right.length) & ~1;
        const stereo = interleave(left.subarray(0, length), right.subarray(0, length));
        addAudio({ pcm: stereo, channels: 2, channel: 1 }, { pcm: left }, { gain });
        const [lefts, rights] = [samplesOf(left.subarray(0, length)), samplesOf(right)];
        const both = samplesOf(stereo);
        expect(both.filter((_, at) => at % 2 === 0)).toEqual(lefts);
        for (const [at, sample] of lefts.entries()) {
          const expected = clipped(rights[at]! + gain * sample);
          expect(Math.abs(both[2 * at + 1]! - expected)).toBeLessThanOrEqual(0.5);
        }
        expect([...floatSamples({ pcm: stereo, channels: 2 })]).toEqual(
          lefts.map((sample) => sample / 32_768),
        );
      }),
    );
  });

  it('averages channels into one', () => {
    fc.assert(
      fc.property(bytes(600), fc.integer({ min: 1, max: 8 }), (all, channels) => {
        const samples = samplesOf(all);
        const mono = samplesOf(downmix(all, channels));
        expect(mono.length).toBe(Math.floor(samples.length / channels));
        for (const [at, sample] of mono.entries()) {
          const sum = samples.slice(at * channels, (at + 1) * channels).reduce((a, b) => a + b, 0);
          expect(Math.abs(sample - sum / channels)).toBeLessThanOrEqual(0.5);
        }
      }),
    );
  });
});

describe('measurement', () => {
  it('counts energy, clipping and quiet ends', () => {
    fc.assert(
      fc.property(formats, bytes(), fc.nat(32_768), (format, all, peak) => {
        const samples = decoded(format, whole(format, all));
        const measure = measureAudio(format, shifted(all), peak);
        const energy = samples.reduce((sum, sample) => sum + (sample / 32_768) ** 2, 0);
        expect(measure.samples).toBe(samples.length);
        expect(measure.energy).toBeCloseTo(energy, 9);
        expect(measure.clipped).toBe(samples.filter((sample) => Math.abs(sample) >= 32_124).length);
        const loud = samples.map((sample) => Math.abs(sample) > peak);
        const none = samples.length;
        expect(measure.quietBefore).toBe(loud.includes(true) ? loud.indexOf(true) : none);
        expect(measure.quietAfter).toBe(loud.includes(true) ? none - 1 - loud.lastIndexOf(true) : none);
      }),
    );
  });
});

describe('made sound', () => {
  it('goes on over pieces without a break', () => {
    const tone = { hertz: 440, rate: 8000, level: 0.2 };
    const [once, pieces] = [Buffer.alloc(1600), Buffer.alloc(1600)];
    addTone({ pcm: once }, tone);
    for (let began = 0; began < 800; began += 100)
      addTone({ pcm: pieces.subarray(2 * began, 2 * began + 200) }, { ...tone, began });
    const expected = samplesOf(once).map((_, at) => 0.2 * 32_768 * Math.sin((2 * Math.PI * 440 * at) / 8000));
    for (const made of [once, pieces])
      for (const [at, sample] of samplesOf(made).entries())
        expect(Math.abs(sample - expected[at]!)).toBeLessThanOrEqual(1);
  });

  it('keeps its pitch and its length at another rate', () => {
    const sound = Buffer.alloc(2 * 24_000);
    addTone({ pcm: sound }, { hertz: 440, rate: 24_000, level: 0.5 });
    const samples = samplesOf(resample(sound, 24_000, 16_000));
    expect(samples.length).toBe(16_000);
    for (let at = 500; at < 15_500; at++) {
      const expected = 16_384 * Math.sin((2 * Math.PI * 440 * at) / 16_000);
      expect(Math.abs(samples[at]! - expected)).toBeLessThan(8);
    }
  });
});
