import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AudioDecoder, encode, Mp3Encoder, wavHeader } from '../../../src/media/codec/index.ts';
import { absent, ffmpeg, RECORDING, workFolder } from './recordings.ts';
import { correlation, samplesOf } from './samples.ts';

describe.skipIf(absent)('encoding', () => {
  const folder = workFolder();
  const decoder = new AudioDecoder({ ffmpeg, temporary: folder.path, atOnce: 2 });
  const RATE = 24000;
  let speech: Int16Array;

  async function decode(bytes: Buffer, sampleRate = RATE) {
    const decoding = await decoder.decode(
      { bytes },
      { sampleRate, channels: 'mix', sample: 's16', maxSeconds: 600 },
    );
    const parts: Buffer[] = [];
    for await (const part of decoding.pcm) parts.push(part);
    return { container: decoding.container, samples: samplesOf(Buffer.concat(parts)) };
  }

  async function* chunks(samples: Int16Array, size: number) {
    for (let at = 0; at < samples.length; at += size) {
      const part = samples.subarray(at, at + size);
      yield Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    }
  }

  const all = async (parts: AsyncIterable<Buffer>) => {
    const list: Buffer[] = [];
    for await (const part of parts) list.push(part);
    return Buffer.concat(list);
  };

  beforeAll(async () => {
    speech = (await decode(readFileSync(RECORDING))).samples;
  });
  afterAll(folder.remove);

  async function mp3(samples: Int16Array, size: number, sampleRate: 8000 | 24000 = RATE) {
    const encoder = await Mp3Encoder.create({ sampleRate });
    const parts: Buffer[] = [];
    for await (const part of chunks(samples, size)) parts.push(encoder.encode(part));
    parts.push(encoder.finish());
    return parts;
  }

  it('gives mp3 as it goes, at its own rate, with the sound of the speech', async () => {
    const parts = await mp3(speech, RATE / 5);
    const early = parts.slice(0, 5).reduce((sum, part) => sum + part.length, 0);
    expect(early).toBeGreaterThan(4000); // The encoder returns most of a second after a second, at 64 kbit/s.
    const { container, samples } = await decode(Buffer.concat(parts));
    expect(container).toBe('mp3');
    expect(Math.abs(samples.length - speech.length) / RATE).toBeLessThan(0.15);
    expect(correlation(speech.subarray(48000, 72000), samples.subarray(48000, 72000), 2500)).toBeGreaterThan(
      0.97,
    );
  });

  it('gives the same mp3 for every cutting of the same samples', async () => {
    const whole = Buffer.concat(await mp3(speech, speech.length));
    for (const size of [480, 997, 24000]) {
      expect(Buffer.concat(await mp3(speech, size)).equals(whole), `chunks of ${size}`).toBe(true);
    }
  });

  it('encodes two channels, and 8 kHz', async () => {
    expect(
      (await decode(Buffer.concat(await mp3(speech.subarray(0, 80000), 8000, 8000)), 8000)).container,
    ).toBe('mp3');
    const encoder = await Mp3Encoder.create({ sampleRate: 24000, channels: 2 });
    const stereo = new Uint8Array(96_000);
    expect(encoder.encode(stereo).length + encoder.finish().length).toBeGreaterThan(1000);
  });

  it.each(['flac', 'opus'] as const)('streams %s', async (format) => {
    const options = { format, sampleRate: RATE, channels: 1 } as const;
    const bytes = await all(encode(ffmpeg, chunks(speech, 4800), options));
    const { container, samples } = await decode(bytes);
    expect(container).toBe(format === 'opus' ? 'ogg' : 'flac');
    expect(Math.abs(samples.length - speech.length)).toBeLessThan(RATE / 20);
    const least = format === 'flac' ? 0.99999 : 0.9;
    expect(correlation(speech.subarray(48000, 72000), samples.subarray(48000, 72000), 400)).toBeGreaterThan(
      least,
    );
  });

  it('gives opus before its speech has ended', async () => {
    let fed = 0;
    let release = () => {};
    const heard = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* talk() {
      for await (const part of chunks(speech, 4800)) {
        fed += part.length;
        yield part;
        if (fed === 4800 * 2 * 20) await heard;
      }
    }
    const stream = encode(ffmpeg, talk(), { format: 'opus', sampleRate: RATE, channels: 1 });
    let got = 0;
    while (got < 2000) got += (await stream.next()).value?.length ?? Number.NaN;
    release();
    expect(fed).toBeLessThan(speech.length * 2);
    expect((await all(stream)).length).toBeGreaterThan(2000);
  });

  it('ends with the source’s error, and when its reader leaves', async () => {
    async function* broken() {
      yield Buffer.alloc(9600);
      throw new Error('synthesis failed');
    }
    const options = { format: 'flac', sampleRate: RATE, channels: 1 } as const;
    await expect(all(encode(ffmpeg, broken(), options))).rejects.toThrow('synthesis failed');
    for await (const part of encode(ffmpeg, chunks(speech, 4800), options)) if (part.length > 0) break;
    await expect(all(encode('/nowhere/ffmpeg', chunks(speech, 4800), options))).rejects.toThrow(
      /ended with 127/,
    );
  });

  it('writes wav headers that everybody reads, with the length and without', async () => {
    const pcm = await all(chunks(speech, speech.length));
    const format = { sampleRate: RATE, channels: 1, sample: 's16' } as const;
    for (const header of [wavHeader(format, pcm.length), wavHeader(format)]) {
      const { container, samples } = await decode(Buffer.concat([header, pcm]));
      expect(container).toBe('wav');
      expect(Buffer.from(samples.buffer).equals(pcm)).toBe(true);
    }
  });
});
