// @requirement Dub: Memory stays bounded in long dubs.
import { fstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wavHeader } from '../../../../src/media/codec/index.ts';
import { long, longForm } from '../../../long-tests.ts';
import { absent as noRecordings, SPEECH } from '../../../media/codec/recordings.ts';
import { pollDelay } from '../../../poll.ts';
import { absent } from '../speak/server.ts';
import { hearingStage } from './recognizing-server.ts';

const RATE = 22_050;
const MINUTES = { short: 1, long: 10 };
const LOOK_EVERY_MS = 250;

function reading(minutes: number): Buffer {
  const folder = join(SPEECH, 'ljspeech');
  const pause = Buffer.alloc(RATE);
  const all = readdirSync(folder).filter((name) => name.endsWith('.wav'));
  const read = Buffer.concat(all.flatMap((name) => [readFileSync(join(folder, name)).subarray(44), pause]));
  const pcm = Buffer.alloc(minutes * 60 * RATE * 2);
  for (let at = 0; at < pcm.length; at += read.length) read.copy(pcm, at);
  return Buffer.concat([wavHeader({ sampleRate: RATE, channels: 1, sample: 's16' }, pcm.length), pcm]);
}

/** Sums the bytes of unlinked files below a folder that this process holds open. */
function namelessIn(folder: string): number {
  let bytes = 0;
  for (const descriptor of readdirSync('/proc/self/fd')) {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      if (path.startsWith(folder) && path.endsWith(' (deleted)')) bytes += fstatSync(Number(descriptor)).size;
    } catch {}
  }
  return bytes;
}

async function dubbed(minutes: number) {
  const { upload, ended, send, folder } = await hearingStage();
  const fields = { source: 'en', target: 'es', format: 'mp3', voice: 'alex_es_es' };
  const { body } = await upload(reading(minutes), fields);
  const began = performance.now();
  let memory = 0;
  let spooled = 0;
  const watch = setInterval(() => {
    memory = Math.max(memory, process.memoryUsage.rss());
    spooled = Math.max(spooled, namelessIn(folder));
  }, LOOK_EVERY_MS);
  const done = await ended(body.id);
  clearInterval(watch);
  expect(done).toMatchObject({ status: 'done', error: null, duration_s: minutes * 60 });
  const { data } = (await send('GET', `/v1/dub/${body.id}/segments`)).body;
  const seconds = (performance.now() - began) / 1000;
  // The job closes its files after it has reported that it is done.
  while (namelessIn(folder) > 0) await pollDelay();
  return { memory, spooled, segments: data.length, seconds };
}

it.skipIf(Boolean(absent ?? noRecordings) || !long)(
  longForm('a dub of ten minutes holds no more in memory than one of one, and leaves no working file'),
  async () => {
    const short = await dubbed(MINUTES.short);
    const whole = await dubbed(MINUTES.long);
    console.log(JSON.stringify({ short, whole }));
    expect(whole.segments).toBeGreaterThan(5 * short.segments);
    expect(whole.memory - short.memory).toBeLessThan(200e6);
    expect(whole.spooled).toBeLessThanOrEqual(MINUTES.long * 60 * 32_000);
    expect(whole.spooled).toBeGreaterThan(0);
  },
  3_600_000,
);
