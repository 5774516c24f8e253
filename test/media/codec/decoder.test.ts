import { createReadStream, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AudioDecoder, type AudioSource, type DecodeOptions } from '../../../src/media/codec/index.ts';
import { absent, ffmpeg, invent, make, RECORDING, SPEECH, workFolder } from './recordings.ts';
import { correlation, samplesOf } from './samples.ts';

const mono: DecodeOptions = { sampleRate: 16000, channels: 'mix', sample: 's16', maxSeconds: 600 };
const SECONDS = 9.655;
const CUT_SHORT = 'enrollment_audio_katie.wav';

const FORMATS: [string, string, string[]][] = [
  ['wav, 8 bit', 'wav', ['-c:a', 'pcm_u8']],
  ['wav, 16 bit', 'wav', ['-c:a', 'pcm_s16le']],
  ['wav, 24 bit', 'wav', ['-c:a', 'pcm_s24le']],
  ['wav, 32 bit', 'wav', ['-c:a', 'pcm_s32le']],
  ['wav, float', 'wav', ['-c:a', 'pcm_f32le']],
  ['wav, a-law', 'wav', ['-c:a', 'pcm_alaw', '-ar', '8000']],
  ['wav, u-law', 'wav', ['-c:a', 'pcm_mulaw', '-ar', '8000']],
  ['wav, extensible, six channels', 'wav', ['-c:a', 'pcm_s24le', '-ac', '6', '-ar', '48000']],
  ['wav, RF64', 'wav', ['-rf64', 'always']],
  ['mp3', 'mp3', ['-b:a', '64k']],
  ['mp3, variable, stereo', 'mp3', ['-q:a', '4', '-ac', '2', '-ar', '44100']],
  ['mp3, MPEG-2.5', 'mp3', ['-ar', '8000', '-b:a', '16k']],
  ['m4a, AAC, index last', 'm4a', ['-c:a', 'aac']],
  ['m4a, AAC, index first', 'm4a', ['-c:a', 'aac', '-movflags', '+faststart']],
  ['m4a, ALAC', 'm4a', ['-c:a', 'alac']],
  ['flac', 'flac', ['-c:a', 'flac']],
  ['ogg, Vorbis', 'ogg', ['-c:a', 'libvorbis']],
  ['ogg, Opus', 'opus', ['-c:a', 'libopus']],
  ['aac, bare', 'aac', ['-c:a', 'aac']],
];

describe.skipIf(absent)('decoding', () => {
  const folder = workFolder();
  const decoder = new AudioDecoder({ ffmpeg, temporary: folder.path, atOnce: 2 });
  let reference: Int16Array;

  async function decode(source: AudioSource, options = mono) {
    const decoding = await decoder.decode(source, options);
    const parts: Buffer[] = [];
    for await (const part of decoding.pcm) parts.push(part);
    return { ...decoding, pcm: Buffer.concat(parts) };
  }

  beforeAll(async () => {
    reference = samplesOf((await decode({ path: RECORDING })).pcm);
  });
  afterAll(folder.remove);

  it.each(FORMATS)('gives the sound of a recording in %s', async (name, extension, args) => {
    const made = make(folder.path, `${name.replaceAll(/\W/g, '')}.${extension}`, ...args);
    const path = `${made}.txt`; // the name says nothing
    renameSync(made, path);
    const { pcm, container } = await decode({ path });
    expect(name.startsWith(container)).toBe(true);
    const samples = samplesOf(pcm);
    expect(samples.length / 16000).toBeGreaterThan(SECONDS - 0.1);
    expect(samples.length / 16000).toBeLessThan(SECONDS + 0.15);
    const least = name.includes('-law') || name.includes('MPEG-2.5') || name.includes('8 bit') ? 0.9 : 0.97;
    expect(
      correlation(reference.subarray(32000, 64000), samples.subarray(32000, 64000), 1700),
    ).toBeGreaterThan(least);
  });

  it.each(['wav', 'm4a', 'mp3', 'flac'])(
    'gives the same from a file, from bytes and from a %s stream cut anywhere',
    async (kind) => {
      const path = make(folder.path, `same.${kind}`);
      const whole = (await decode({ path })).pcm;
      expect((await decode({ bytes: readFileSync(path) })).pcm.equals(whole)).toBe(true);
      const stream = createReadStream(path, { highWaterMark: 997 });
      expect((await decode({ stream })).pcm.equals(whole)).toBe(true);
    },
  );

  it('decodes every kind of recording that people really send', async () => {
    const first = new Map<string, string>();
    const audio = readdirSync(SPEECH, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.(wav|mp3|m4a|ogg|flac)$/.test(file) && !file.includes(CUT_SHORT),
    );
    for (const name of audio.sort()) {
      const key = `${name.split('/')[0]} ${name.split('.').at(-1)}`;
      if (!first.has(key)) first.set(key, name);
    }
    expect(first.size).toBeGreaterThan(15);
    for (const name of first.values()) {
      const { pcm } = await decode({ path: join(SPEECH, name) });
      expect(pcm.length, name).toBeGreaterThan(3200);
      const stream = createReadStream(join(SPEECH, name));
      expect((await decode({ stream })).pcm.equals(pcm), `${name} as a stream`).toBe(true);
    }
  });

  it('says so of a recording that somebody cut without mending its header', async () => {
    const path = join(SPEECH, 'azure_samples', CUT_SHORT);
    await expect(decode({ path })).rejects.toMatchObject({
      code: 'invalid_audio',
      message: 'The wav file is truncated: its header declares 1803.3 s, but it has 18.3 s.',
    });
  });

  it('keeps two channels apart when it is asked to', async () => {
    const source = 'sine=f=300:d=2[a];sine=f=900:d=2[b];[a][b]amerge';
    const path = invent(folder.path, 'two.wav', source, '-ar', '16000');
    const { pcm, format } = await decode({ path }, { ...mono, channels: 'keep' });
    expect(format).toEqual({ sampleRate: 16000, channels: 2, sample: 's16' });
    const samples = samplesOf(pcm);
    const crossings = (channel: number) => {
      let count = 0;
      for (let i = 2 + channel; i < samples.length; i += 2)
        if (samples[i - 2]! < 0 && samples[i]! >= 0) count += 1;
      return count / 2;
    };
    expect(crossings(0)).toBeCloseTo(300, -1);
    expect(crossings(1)).toBeCloseTo(900, -1);
    const stored = await decode({ path: RECORDING }, { ...mono, channels: 'keep' });
    expect(stored.format.channels).toBe(1);
  });

  it('gives floats, at the rate that is asked for', async () => {
    const { pcm, format } = await decode({ path: RECORDING }, { ...mono, sample: 'f32', sampleRate: 8000 });
    expect(format).toEqual({ sampleRate: 8000, channels: 1, sample: 'f32' });
    expect(pcm.length / 4 / 8000).toBeCloseTo(SECONDS, 1);
    const floats = new Float32Array(new Uint8Array(pcm).buffer);
    const peak = floats.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    expect(peak).toBeGreaterThan(0.2);
    expect(peak).toBeLessThanOrEqual(1.2);
  });

  it('mixes more than two channels down to two when channels are kept, and picks either', async () => {
    const six = invent(folder.path, 'six.wav', 'sine=f=300:d=2,aformat=channel_layouts=5.1');
    const stored = await decode({ path: six }, { ...mono, channels: 'keep' });
    expect(stored.format.channels).toBe(2);
    expect(stored.pcm.length / 4 / 16000).toBeCloseTo(2, 1);
    for (const channel of [0, 1] as const) {
      const { pcm, format } = await decode({ path: six }, { ...mono, channels: channel });
      expect(format.channels).toBe(1);
      expect(samplesOf(pcm).some((sample) => Math.abs(sample) > 500)).toBe(true);
    }
  });

  it('picks one of two channels, and nothing of the other', async () => {
    const source = 'sine=f=300:d=2[a];aevalsrc=0:d=2:s=44100[b];[a][b]amerge';
    const path = invent(folder.path, 'left.wav', source);
    const peak = async (channels: 0 | 1) => {
      const { pcm } = await decode({ path }, { ...mono, channels });
      return samplesOf(pcm).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    };
    expect(await peak(0)).toBeGreaterThan(2000);
    expect(await peak(1)).toBeLessThan(3);
  });

  it('ends in the middle when its reader has enough', async () => {
    const path = invent(folder.path, 'long.wav', 'anoisesrc=d=300:r=48000', '-ac', '2');
    const decoding = await decoder.decode({ path }, mono);
    const first = await decoding.pcm.next();
    expect(first.done).toBe(false);
    await decoding.pcm.return();
    expect((await decoding.pcm.next()).done).toBe(true);
  });

  // @requirement Fair use: Decoding has a wall-clock limit.
  it('gives its place on even when nobody reads what was decoded', async () => {
    const one = new AudioDecoder({ ffmpeg, temporary: folder.path, atOnce: 1 });
    for (let i = 0; i < 3; i++) await (await one.decode({ path: RECORDING }, mono)).pcm.return();
    const control = new AbortController();
    const held = await one.decode({ path: RECORDING }, { ...mono, signal: control.signal });
    const next = one.decode({ path: RECORDING }, mono);
    control.abort(new Error('left'));
    const readToEnd = async () => {
      for await (const _ of held.pcm);
    };
    await expect(readToEnd()).rejects.toThrow('left');
    await (await next).pcm.return();
  });

  it('decodes nothing for a caller who left while he waited for his turn', async () => {
    const one = new AudioDecoder({ ffmpeg, temporary: folder.path, atOnce: 1 });
    const held = await one.decode({ path: RECORDING }, mono);
    const control = new AbortController();
    const waiting = one.decode({ path: RECORDING }, { ...mono, signal: control.signal });
    const refused = expect(waiting).rejects.toThrow('left');
    control.abort(new Error('left'));
    await held.pcm.return();
    await refused;
    await (await one.decode({ path: RECORDING }, mono)).pcm.return();
  });
});
