// @requirement Sandbox: Programs that read untrusted bytes run without network, environment and further processes.
import { createReadStream, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import { AudioDecoder, type AudioSource } from '../../../src/media/codec/index.ts';
import { long } from '../../long-tests.ts';
import { absent, ffmpeg, invent, make, RECORDING, workFolder } from './recordings.ts';

function childrenCpu(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function childPeak(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  const peaks = children.map((pid) => {
    try {
      return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  });
  return Math.max(0, ...peaks);
}

/** More than ten times the limit that it is held to; to write 24 hours takes a minute of a slow core. */
const HOURS = long ? 24 : 2;
const ROUNDS = long ? 210 : 70;

const openFiles = () => readdirSync('/proc/self/fd').length;

describe.skipIf(absent)('hostile audio', () => {
  const folder = workFolder();
  const decoder = new AudioDecoder({ ffmpeg, temporary: folder.path, atOnce: 2 });
  afterAll(folder.remove);

  async function outcome(source: AudioSource, maxSeconds = 60, signal?: AbortSignal) {
    let seconds = 0;
    let peak = 0;
    try {
      const options = { sampleRate: 16000, channels: 'mix', sample: 's16', maxSeconds } as const;
      const { pcm } = await decoder.decode(source, { ...options, ...(signal ? { signal } : {}) });
      for await (const part of pcm) {
        seconds += part.length / 32000;
        peak = Math.max(peak, childPeak());
      }
      return { code: 'ok', seconds, peak, message: '' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { code: error.code, seconds, peak, message: error.message };
    }
  }

  const file = (name: string, bytes: Uint8Array) => {
    const path = join(folder.path, name);
    writeFileSync(path, bytes);
    return { path };
  };

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(100_000)],
    ['text that calls itself wav', Buffer.from('RIFF, WAVE and other words. '.repeat(1000))],
    ['a web page', Buffer.from('<!doctype html><title>hi</title>')],
    [
      'a playlist of other files',
      Buffer.from('#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n'),
    ],
    ['an ffmpeg concat list', Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n")],
    [
      'a bare wav header',
      Buffer.from('524946462400000057415645666d74201000000001000100803e0000007d00000200100064617461', 'hex'),
    ],
  ])('refuses %s', async (_name, bytes) => {
    expect(await outcome({ bytes })).toMatchObject({ code: 'invalid_audio' });
    expect(await outcome(file('junk.wav', bytes))).toMatchObject({ code: 'invalid_audio' });
  });

  it('refuses a film without sound', async () => {
    const path = invent(folder.path, 'film.mp4', 'testsrc=d=1:s=64x64');
    expect(await outcome({ path })).toMatchObject({ code: 'invalid_audio' });
  });

  describe(`a bomb: ${HOURS} hours of silence in flac`, () => {
    let path: string;
    beforeAll(() => {
      path = invent(
        folder.path,
        'bomb.flac',
        'anullsrc=r=8000:cl=mono',
        '-t',
        String(HOURS * 3600),
        '-compression_level',
        '0',
        '-c:a',
        'flac',
      );
    }, 120_000);

    it('is refused by its header at once', async () => {
      const before = childrenCpu();
      expect(await outcome({ path }, 600)).toMatchObject({ code: 'payload_too_large', seconds: 0 });
      expect(childrenCpu() - before).toBeLessThan(0.5);
    });

    it('is refused when the limit is passed where the header lies, within 1 s of CPU and 128 MB', async () => {
      const bytes = readFileSync(path);
      bytes.fill(0, 4 + 4 + 14, 4 + 4 + 18); // STREAMINFO: the count of samples, now unknown
      bytes[4 + 4 + 13]! &= 0xf0;
      const honest = await cpuOf(() => outcome({ path: make(folder.path, 'honest.flac') }, 600));
      const lying = await cpuOf(() => outcome(file('lying.flac', bytes), 600));
      expect(lying.result).toMatchObject({
        code: 'payload_too_large',
        message: expect.stringContaining('600 seconds'),
      });
      expect(lying.result.seconds).toBeLessThanOrEqual(600);
      expect(lying.result.peak).toBeGreaterThan(5);
      expect(lying.result.peak).toBeLessThan(128);
      expect(lying.cpu - honest.cpu).toBeLessThan(1);
    });

    it('is refused from a stream without reading it to its end', async () => {
      let read = 0;
      async function* stream() {
        const bytes = readFileSync(path);
        bytes.fill(0, 22, 26);
        bytes[21]! &= 0xf0;
        for (let at = 0; at < bytes.length; at += 65536) {
          read = at;
          yield bytes.subarray(at, at + 65536);
        }
      }
      expect(await outcome({ stream: stream() }, 60)).toMatchObject({ code: 'payload_too_large' });
      expect(read).toBeLessThan(readFileSync(path).length / 2);
    });
  });

  async function cpuOf<T>(work: () => Promise<T>) {
    const before = childrenCpu();
    const result = await work();
    return { result, cpu: childrenCpu() - before };
  }

  it('holds within memory against a rate that makes seconds of single samples', async () => {
    const bytes = readFileSync(RECORDING);
    bytes.writeUInt32LE(1, 24);
    bytes.writeUInt32LE(0, bytes.indexOf('data') + 4); // and no length that would give it away
    const { result, cpu } = await cpuOf(() => outcome({ bytes }, 600));
    expect(result).toMatchObject({
      code: 'invalid_audio',
      message: expect.stringContaining('1 samples a second'),
    });
    expect(result.peak).toBeLessThan(128);
    expect(cpu).toBeLessThan(1);
  });

  it('says that a file is truncated when its header declares more', async () => {
    for (const [kind, why] of [
      ['wav', 'truncated'],
      ['flac', 'truncated'],
      ['m4a', 'damaged'],
      ['mp3', 'truncated'],
    ] as const) {
      const whole = readFileSync(make(folder.path, `whole.${kind}`));
      const { code, message } = await outcome({ bytes: whole.subarray(0, whole.length / 3) });
      expect(code, kind).toBe('invalid_audio');
      expect(message, kind).toContain(why);
    }
  });

  it('says that an ogg file is truncated, from a file and from a stream, and takes one with words behind it', async () => {
    for (const kind of ['ogg', 'opus']) {
      const whole = readFileSync(make(folder.path, `pages.${kind}`));
      expect(await outcome({ bytes: whole })).toMatchObject({ code: 'ok' });
      expect(await outcome({ bytes: Buffer.concat([whole, Buffer.from('TAG')]) })).toMatchObject({
        code: 'ok',
      });
      for (const share of [0.4, 0.6, 0.9]) {
        const cut = whole.subarray(0, whole.length * share);
        const wanted = { code: 'invalid_audio', message: expect.stringContaining('is truncated') };
        expect(await outcome({ bytes: cut }), kind).toMatchObject(wanted);
        expect(await outcome(file('cut', cut)), kind).toMatchObject(wanted);
      }
    }
  });

  it('says so when a file takes more work than it may, which the kernel ends', async () => {
    const spinning = join(folder.path, 'spinning');
    writeFileSync(spinning, '#!/bin/sh\nwhile :; do :; done\n', { mode: 0o755 });
    const slow = new AudioDecoder({ ffmpeg: spinning, temporary: folder.path, atOnce: 1 });
    const options = {
      sampleRate: 16000,
      channels: 'mix',
      sample: 's16',
      maxSeconds: 60,
      cpuSeconds: 1,
    } as const;
    await expect(slow.decode({ path: RECORDING }, options)).rejects.toMatchObject({
      code: 'invalid_audio',
      message: 'Decoding the file requires more memory or processor time than is allowed per file.',
    });
  });

  it('takes a wav whose writer did not know its length', async () => {
    for (const size of [0xffffffff, 0x7fffffff, 0]) {
      const bytes = readFileSync(RECORDING);
      bytes.writeUInt32LE(size, bytes.indexOf('data') + 4);
      const { code, seconds } = await outcome({ bytes });
      expect({ size, code, seconds: Math.round(seconds) }).toEqual({ size, code: 'ok', seconds: 10 });
    }
  });

  it('believes neither a tag that looks like a duration nor a length that is too long', async () => {
    const tagged = make(folder.path, 'tagged.mp3', '-metadata', 'title=x\n  Duration: 99:00:00.00, start');
    expect(await outcome({ path: tagged })).toMatchObject({ code: 'ok' });
    const bytes = readFileSync(make(folder.path, 'claims.flac'));
    bytes.writeUInt32BE(0x7fffffff, 22);
    expect(await outcome({ bytes })).toMatchObject({ code: 'payload_too_large' });
  });

  it('stops when its caller does, and when the upload breaks off', async () => {
    const control = new AbortController();
    async function* slow() {
      yield readFileSync(RECORDING).subarray(0, 200_000);
      control.abort(new Error('the caller left'));
      yield readFileSync(RECORDING).subarray(200_000);
    }
    await expect(outcome({ stream: slow() }, 60, control.signal)).rejects.toThrow('the caller left');
    async function* broken() {
      yield readFileSync(RECORDING).subarray(0, 200_000);
      throw new Error('the upload broke off');
    }
    await expect(outcome({ stream: broken() })).rejects.toThrow('the upload broke off');
  });

  it('closes a stream that is no audio, or whose caller left before its turn', async () => {
    const junk = createReadStream(file('junk.bin', Buffer.alloc(300_000, 'words ')).path);
    expect(await outcome({ stream: junk })).toMatchObject({ code: 'invalid_audio' });
    expect(junk.destroyed).toBe(true);
    const unread = createReadStream(RECORDING);
    await expect(outcome({ stream: unread }, 60, AbortSignal.abort(new Error('left')))).rejects.toThrow(
      'left',
    );
    expect(unread.destroyed).toBe(true);
  });

  it('says that the decoder is missing, as a server problem', async () => {
    const without = new AudioDecoder({ ffmpeg: '/nowhere/ffmpeg', temporary: folder.path, atOnce: 1 });
    const options = { sampleRate: 16000, channels: 'mix', sample: 's16', maxSeconds: 60 } as const;
    for (let i = 0; i < 3; i++) {
      await expect(without.decode({ path: RECORDING }, options)).rejects.toMatchObject({
        code: 'unavailable',
      });
    }
  });

  it('ends every damaged file with audio or a clear error, and leaves nothing open', async () => {
    const seeds = ['wav', 'mp3', 'm4a', 'flac', 'ogg', 'opus', 'aac'].map((kind) =>
      readFileSync(make(folder.path, `seed.${kind}`, '-t', '1.5')),
    );
    const random = generator(20_261_121);
    const before = openFiles();
    const codes = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++) {
      const bytes = damage(seeds[round % seeds.length]!, random);
      const began = performance.now();
      const { code, peak } = await outcome(round % 2 ? { bytes } : file('fuzzed', bytes), 30);
      expect(['ok', 'invalid_audio', 'payload_too_large'], `round ${round}`).toContain(code);
      expect(peak, `round ${round}`).toBeLessThan(128);
      expect(performance.now() - began, `round ${round}`).toBeLessThan(5000);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect(codes.get('invalid_audio')).toBeGreaterThan(ROUNDS / 21);
    expect(openFiles()).toBeLessThanOrEqual(before);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('.decoding'))).toEqual([]);
  }, 120_000);
});

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function damage(seed: Buffer, random: () => number): Buffer {
  const bytes = Buffer.from(seed);
  const kind = Math.floor(random() * 5);
  const at = Math.floor(random() * bytes.length);
  if (kind === 0) return bytes.subarray(0, at);
  if (kind === 1)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1000))]);
  if (kind === 2) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 1000))]);
  const scope = kind === 3 ? Math.min(200, bytes.length) : bytes.length;
  for (let i = 0; i < 1 + random() * 30; i++)
    bytes[Math.floor(random() * scope)] = Math.floor(random() * 256);
  return bytes;
}
