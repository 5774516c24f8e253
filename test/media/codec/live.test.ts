import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { AudioDecoder, OpusPages } from '../../../src/media/codec/index.ts';
import { absent, ffmpeg, make, opusPackets, workFolder } from './recordings.ts';

const folder = workFolder();
afterAll(folder.remove);
const decoder = new AudioDecoder({ ffmpeg, temporary: tmpdir(), atOnce: 1 });
const RATE = 16_000;
const SECONDS = 9.655;

const decodeLive = (head: Uint8Array, live: PassThrough) =>
  decoder.decode(
    { head, live },
    {
      sampleRate: RATE,
      channels: 'mix',
      sample: 's16',
      maxSeconds: 3600,
      priority: { tenant: 'a', use: 'live', trial: false },
    },
  );

describe.skipIf(absent)('a live decoding', { timeout: 30_000 }, () => {
  it.each([
    ['live.webm', ['-c:a', 'libopus', '-live', '1', '-cluster_time_limit', '200']],
    ['live.ogg', ['-c:a', 'libopus', '-page_duration', '100000']],
    ['live.flac', []],
  ])('gives the samples of %s before the rest comes', async (name, args) => {
    const bytes = readFileSync(make(folder.path, name, ...args));
    const half = Math.floor(bytes.length / 2);
    const live = new PassThrough();
    live.write(bytes.subarray(1000, half));
    const { pcm, container } = await decodeLive(bytes.subarray(0, 1000), live);
    expect(name).toContain(container);
    let got = 0;
    // The decoder returns all but a second of the first half while the stream is still open.
    while (got < (SECONDS / 2 - 1) * RATE * 2) got += (await pcm.next()).value!.length;
    live.end(bytes.subarray(half));
    for await (const part of pcm) got += part.length;
    expect(got / RATE / 2).toBeCloseTo(SECONDS, 1);
  });

  it('reads bare Opus packets in pages', async () => {
    const packets = opusPackets(
      readFileSync(make(folder.path, 'packets.ogg', '-c:a', 'libopus', '-ac', '1')),
    );
    expect(packets.length).toBeGreaterThan(400);
    const pages = new OpusPages(1);
    const [first, ...rest] = packets.map((packet) => pages.page(packet)!);
    const live = new PassThrough();
    for (const page of rest) live.write(page);
    live.end();
    let got = 0;
    for await (const part of (await decodeLive(first!, live)).pcm) got += part.length;
    expect(got / RATE / 2).toBeCloseTo(SECONDS, 1);
    expect(pages.page(Buffer.alloc(0))).toBeNull();
    expect(pages.page(Buffer.of(0x03, 0x00))).toBeNull();
  });

  it('refuses bytes that are no audio', async () => {
    const live = new PassThrough();
    live.end();
    await expect(decodeLive(Buffer.from('no sound at all'), live)).rejects.toMatchObject({
      code: 'invalid_audio',
    });
  });
});
