// @requirement Dub: A dub copes with silence, music, a video without sound and an unexpected language.
/** Recordings with nothing to dub, or too much, return an error; nothing is stored or billed. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { acrossTenants, openStorage } from '../../../../src/foundation/storage/index.ts';
import { chooseVoices } from '../../../../src/products/dub/voices/choose.ts';
import { engineRecognizer, engineVoices } from '../../../../src/speech/transcription/index.ts';
import {
  ffmpeg,
  invent,
  absent as noRecordings,
  RECORDING,
  workFolder,
} from '../../../media/codec/recordings.ts';
import { sharedEngine } from '../../../media/engine/shared-engine.ts';
import { wavOf } from '../../../speech/transcription/signal-audio.ts';
import { absent } from '../speak/server.ts';
import { Phrasebook, type StageOptions, stage } from './server.ts';

const FIELDS = { source: 'en', target: 'es', voice: 'alex_es_es', format: 'wav' };
const PICTURES = 'testsrc=size=160x120:rate=10:duration=3';
const VIDEO = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const MUSIC = [196, 247, 294, 392]
  .map((hertz) => `0.1*sin(2*PI*${hertz}*t)*(1+0.3*sin(2*PI*0.7*t))`)
  .join('+');

const work = workFolder();
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
afterAll(() => {
  work.remove();
});

async function open(more: Partial<StageOptions> = {}) {
  const storage = await openStorage({ dataDir: ':memory:' });
  undo.push(() => storage.close());
  const script = (line: number) => ({ text: `This is line ${line}.`, speaker: line });
  const translators = [new Phrasebook('model', {})];
  const opened = await stage({ storage, script, translators, after: (step) => undo.push(step), ...more });
  const billed = () => storage.db.selectFrom('usage_events').selectAll().execute();
  const dubs = () => acrossTenants(storage.db).selectFrom('dub_jobs').select('id').execute();
  const owners = async () => {
    const ids: string[] = [];
    for await (const id of opened.blobs.owners('dub')) ids.push(id);
    return ids;
  };
  return { ...opened, billed, dubs, owners };
}

const listening = async () => {
  const engine = sharedEngine();
  await engine.prepared();
  return { hears: { recognizer: engineRecognizer(engine), voiceReader: engineVoices(engine) } };
};

class FromSpanish extends Phrasebook {
  override async offers() {
    return [{ source: 'es', target: 'en', via: null }];
  }
}

const why = absent ?? noRecordings;

describe.skipIf(why)('a dub of what can not be dubbed', { timeout: 300_000 }, () => {
  it('is refused where a video has no sound: nothing is stored, nothing billed', async () => {
    const { upload, billed, dubs, owners } = await open();
    const file = readFileSync(invent(work.path, 'mute.mp4', PICTURES, ...VIDEO));
    expect(await upload(file, FIELDS, 'mute.mp4')).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_audio', message: 'The video has no audio.' } },
    });
    expect([await dubs(), await owners(), await billed()]).toEqual([[], [], []]);
  });

  it('ends in no_speech where the sound of a video is silence', async () => {
    const { upload, ended, billed } = await open();
    const both = `${PICTURES}[out0];anullsrc=r=16000:d=3[out1]`;
    const file = readFileSync(invent(work.path, 'silent.mp4', both, ...VIDEO, '-c:a', 'aac'));
    const { status, body } = await upload(file, FIELDS, 'silent.mp4');
    expect(status).toBe(201);
    expect(await ended(body.id)).toMatchObject({
      status: 'error',
      video: true,
      error: { code: 'no_speech', message: 'The recording has no speech: there is nothing to dub.' },
    });
    expect(await billed()).toEqual([]);
  });

  it('ends in no_speech where there is music alone', async () => {
    const { upload, ended, send, billed } = await open(await listening());
    const file = readFileSync(invent(work.path, 'music.wav', `aevalsrc=${MUSIC}:s=16000:d=12`));
    const { body } = await upload(file, FIELDS);
    expect(await ended(body.id)).toMatchObject({ status: 'error', error: { code: 'no_speech' } });
    expect((await send('GET', `/v1/dub/${body.id}/segments`)).body.data).toEqual([]);
    expect(await billed()).toEqual([]);
  });

  it('ends in wrong_language where somebody speaks another one than was said', async () => {
    const { upload, ended, billed } = await open({
      ...(await listening()),
      translators: [new FromSpanish('model', {})],
    });
    const fields = { source: 'es', target: 'en', voice: 'heart_en_us', format: 'wav' };
    const { body } = await upload(readFileSync(RECORDING), fields);
    expect(await ended(body.id)).toMatchObject({
      status: 'error',
      error: {
        code: 'wrong_language',
        message: 'The language of the recording was detected as en, but source is es.',
      },
    });
    expect(await billed()).toEqual([]);
  });

  it('is refused where it is longer than the plan allows, before anything of it is kept', async () => {
    const { upload, access, billed, dubs, owners } = await open();
    access.jobUpload = { bytes: 50_000_000, seconds: 9 };
    expect(await upload(wavOf(2), FIELDS)).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large' } },
    });
    expect([await dubs(), await owners(), await billed()]).toEqual([[], [], []]);
    access.jobUpload = { bytes: 50_000_000, seconds: 4 * 3600 };
    expect((await upload(wavOf(2), FIELDS)).status).toBe(201);
  });

  it('tells twenty speakers apart, and keeps them where no door translates', async () => {
    const { upload, ended, send, billed } = await open();
    const { body } = await upload(wavOf(20), FIELDS);
    expect(await ended(body.id)).toMatchObject({ status: 'error', error: { code: 'translation_failed' } });
    const { data } = (await send('GET', `/v1/dub/${body.id}/segments`)).body;
    const speakers = data.map((segment) => (segment as unknown as { speaker: string }).speaker);
    expect(speakers).toHaveLength(20);
    expect(new Set(speakers).size).toBe(20);
    expect(await billed()).toEqual([]);
  });
});

// @requirement Dub: The picture of a video is copied and never encoded again.
it.skipIf(why)(
  'a dubbed video keeps its pictures to the bit, and has the new sound',
  async () => {
    const phrases = { 'Good morning.': 'Buenos días.' };
    const script = () => ({ text: 'Good morning.' });
    const { upload, ended, fetchFile } = await open({
      script,
      translators: [new Phrasebook('model', phrases)],
    });
    const sound = join(work.path, 'talk.wav');
    writeFileSync(sound, wavOf(1));
    const path = invent(work.path, 'talk.mkv', PICTURES, '-i', sound, ...VIDEO, '-c:a', 'flac');
    const { body } = await upload(readFileSync(path), { ...FIELDS, background: 'none' }, 'talk.mkv');
    expect(await ended(body.id)).toMatchObject({ status: 'done', video: true, error: null });
    const answer = await fetchFile(`/v1/dub/${body.id}/download`);
    expect(answer.headers.get('content-type')).toBe('video/x-matroska');
    const dubbed = join(work.path, 'dubbed.mkv');
    writeFileSync(dubbed, Buffer.from(await answer.arrayBuffer()));
    expect(hashOf(dubbed, 'v')).toBe(hashOf(path, 'v'));
    expect(hashOf(dubbed, 'v')).toMatch(/SHA256=/u);
    expect(hashOf(dubbed, 'a')).not.toBe(hashOf(path, 'a'));
  },
  300_000,
);

function hashOf(path: string, stream: 'v' | 'a'): string {
  const flags = [
    '-loglevel',
    'error',
    '-i',
    path,
    '-map',
    `0:${stream}`,
    '-c',
    'copy',
    '-f',
    'streamhash',
    '-',
  ];
  return spawnSync(ffmpeg, flags, { encoding: 'utf8' }).stdout;
}

it('twenty speakers share six voices evenly', () => {
  const described = (at: number) => ({ pitchHz: 120 + at, vector: null });
  const speakers = Array.from({ length: 20 }, (_, at) => ({ ...described(at), name: `speaker_${at}` }));
  const voices = Array.from({ length: 6 }, (_, at) => described(at));
  const counts = new Map<number, number>();
  for (const { voice } of chooseVoices(speakers, voices)) counts.set(voice, (counts.get(voice) ?? 0) + 1);
  expect([...counts.values()].sort()).toEqual([3, 3, 3, 3, 4, 4]);
});
