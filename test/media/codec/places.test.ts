// @requirement Fair use: Decoding slots are shared fairly between tenants and uses, once an upload is whole.
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { AudioDecoder, type DecodeOptions, type Decoding } from '../../../src/media/codec/index.ts';
import { absent, ffmpeg, RECORDING, workFolder } from './recordings.ts';
import { descendants } from './running-programs.ts';

const mono: DecodeOptions = { sampleRate: 16000, channels: 'mix', sample: 's16', maxSeconds: 600 };
const of = (tenant: string, use: NonNullable<DecodeOptions['priority']>['use'], trial = false) => ({
  ...mono,
  priority: { tenant, use, trial },
});

function unended() {
  const stream = new PassThrough();
  stream.write(readFileSync(RECORDING).subarray(0, -1000));
  return { stream };
}

describe.skipIf(absent)('places of decoding', () => {
  const folder = workFolder();
  const open = (atOnce: number) => new AudioDecoder({ ffmpeg, temporary: folder.path, atOnce });
  const recording = { path: RECORDING };
  afterAll(folder.remove);

  it('are apart by use, and those of trials from all others', async () => {
    const decoder = open(1);
    const held = await decoder.decode(recording, of('a', 'jobs'));
    let entered = false;
    const waiting = decoder.decode(recording, of('b', 'jobs')).then((decoding) => {
      entered = true;
      return decoding;
    });
    const others = [of('a', 'sync'), of('a', 'clones'), of('a', 'jobs', true), of('b', 'sync', true)];
    const all = await Promise.all(others.map((options) => decoder.decode(recording, options)));
    expect(entered).toBe(false);
    await held.pcm.return();
    for (const { pcm } of [...all, await waiting]) await pcm.return();
  });

  it('are shared in turns by tenant, of whom a hundred recordings may wait', async () => {
    const decoder = open(1);
    const held = await decoder.decode(recording, of('flood', 'jobs'));
    const control = new AbortController();
    setMaxListeners(0, control.signal);
    const options = { ...of('flood', 'jobs'), signal: control.signal };
    const served: string[] = [];
    const serve = async (tenant: string, decoding: Promise<Decoding>) => {
      const { pcm } = await decoding;
      served.push(tenant);
      if (served.length === 2) control.abort(new Error('enough'));
      await pcm.return();
    };
    const flood = Array.from({ length: 100 }, () => serve('flood', decoder.decode(recording, options)));
    await expect(decoder.decode(recording, options)).rejects.toMatchObject({ code: 'capacity', status: 503 });
    const other = serve('other', decoder.decode(recording, of('other', 'jobs')));
    const settled = Promise.allSettled(flood);
    await held.pcm.return();
    await other;
    await settled;
    expect(served.slice(0, 2).sort()).toEqual(['flood', 'other']);
  });

  it.each([
    ['a person waits for', of('a', 'sync'), 0],
    ['belongs to a job', of('a', 'jobs'), 10],
    ['belongs to a trial', of('a', 'sync', true), 19],
  ])('yields where it %s', async (_what, options, more) => {
    const { pcm } = await open(1).decode(unended(), options);
    expect(descendants('ffmpeg').map(({ nice }) => nice)).toEqual([Math.min(19, getPriority() + more)]);
    await pcm.return();
  });

  // @requirement Fair use: Decoding has a wall-clock limit.
  it('takes its place from a recording that never ends, and says so', async () => {
    const decoder = open(1);
    const read = async () => {
      for await (const _ of (await decoder.decode(unended(), { ...mono, withinMs: 200 })).pcm);
    };
    await expect(read()).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
      message: 'The recording took too long to decode; try again.',
    });
    await (await decoder.decode(recording, mono)).pcm.return();
  });
});
