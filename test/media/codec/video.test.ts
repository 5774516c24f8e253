import { spawnSync } from 'node:child_process';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AudioDecoder, mux } from '../../../src/media/codec/index.ts';
import { absent, ffmpeg, invent, workFolder } from './recordings.ts';

const work = workFolder();
afterAll(() => work.remove());

const VIDEO = ['-t', '3', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const PICTURES = 'testsrc=size=160x120:rate=10:duration=3[out0];sine=frequency=440:duration=3[out1]';

function pictures(path: string): string {
  const args = [
    '-hide_banner',
    '-loglevel',
    'error',
    '-i',
    path,
    '-map',
    '0:v',
    '-c',
    'copy',
    '-f',
    'streamhash',
    '-',
  ];
  return spawnSync(ffmpeg, args, { encoding: 'utf8' }).stdout;
}

const silence = async function* (seconds: number) {
  for (let at = 0; at < seconds; at += 1) yield Buffer.alloc(48_000 * 2);
};

describe.skipIf(absent)('video', { timeout: 60_000 }, () => {
  const decoder = new AudioDecoder({ ffmpeg, temporary: work.path, atOnce: 2 });
  const options = { sampleRate: 16_000, channels: 'mix', sample: 's16', maxSeconds: 60 } as const;

  it.each([
    ['v.mp4', ['-c:a', 'aac']],
    ['v.mkv', ['-c:a', 'libopus']],
    ['v.webm', ['-c:v', 'libvpx', '-c:a', 'libopus']],
  ])('gives its sound: %s', async (name, codecs) => {
    const path = invent(work.path, name, PICTURES, ...VIDEO, ...codecs);
    const decoding = await decoder.decode({ path }, options);
    let bytes = 0;
    for await (const part of decoding.pcm) bytes += part.length;
    expect(decoding.video).toBe(true);
    expect(bytes / 32_000).toBeCloseTo(3, 1);
  });

  it('says of a silent video that it has no sound', async () => {
    for (const name of ['silent.mp4', 'silent.mkv']) {
      const path = invent(work.path, name, 'testsrc=size=160x120:rate=10:duration=3', ...VIDEO);
      await expect(decoder.decode({ path }, options)).rejects.toMatchObject({
        code: 'invalid_audio',
        message: 'The video has no audio.',
      });
    }
  });

  it('keeps every picture as it is under another sound', async () => {
    for (const [name, container] of [
      ['p.mp4', 'm4a'],
      ['p.mkv', 'webm'],
    ] as const) {
      const path = invent(work.path, name, PICTURES, ...VIDEO);
      const video = await open(path, 'r');
      const parts: Buffer[] = [];
      const wanted = { container, sampleRate: 48_000, channels: 1, language: 'es' } as const;
      for await (const part of mux(ffmpeg, video, silence(3), wanted)) parts.push(part);
      await video.close();
      const dubbed = join(work.path, `dubbed-${name}`);
      await writeFile(dubbed, Buffer.concat(parts));
      expect(pictures(dubbed)).toMatch(/SHA256=/);
      expect(pictures(dubbed)).toBe(pictures(path));
      const { pcm } = await decoder.decode({ path: dubbed }, options);
      for await (const part of pcm)
        expect(part.every((byte) => byte === 0 || byte === 255 || byte === 1)).toBe(true);
    }
  });

  it('ends with an error where the video is none', async () => {
    const path = join(work.path, 'none.mp4');
    await writeFile(path, 'this is no video');
    const video = await open(path, 'r');
    const wanted = { container: 'm4a', sampleRate: 48_000, channels: 1, language: 'es' } as const;
    await expect(
      (async () => {
        for await (const _ of mux(ffmpeg, video, silence(1), wanted));
      })(),
    ).rejects.toThrow(/muxer/);
    await video.close();
  });
});
