// @requirement Hear: Each channel of a job detects its own language.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { openStorage } from '../../../src/foundation/storage/index.ts';
import { openEngine } from '../../../src/main/engine.ts';
import { findFfmpeg } from '../../../src/media/codec/index.ts';
import type { Engine } from '../../../src/media/engine/index.ts';
import { engineRecognizer, engineVoices } from '../../../src/speech/transcription/index.ts';
import { itLong } from '../../long-tests.ts';
import { SPEECH } from '../../media/codec/recordings.ts';
import { stage } from './stage.ts';

const absent = existsSync(SPEECH) ? '' : `no recordings in ${SPEECH}`;
if (absent && process.env.CI === 'true') throw new Error(absent);
if (absent) console.warn(`the jobs on real speech are skipped: ${absent}`);

const config = loadConfig({});
const log = createLog({ level: 'silent' });

const conversation = (folder: string, clips: readonly string[]): string =>
  joined(folder, clips, `concat=n=${clips.length}:v=0:a=1`);

const twoChannels = (folder: string, clips: readonly [string, string]): string =>
  joined(folder, clips, 'amerge=inputs=2');

function joined(folder: string, clips: readonly string[], filter: string): string {
  const out = join(folder, `${randomUUID()}.mp3`);
  const inputs = clips.flatMap((clip) => ['-i', join(SPEECH, clip)]);
  const each = clips.map(
    (_, at) => `[${at}:a]aresample=16000,aformat=channel_layouts=mono,apad=pad_dur=0.5[c${at}]`,
  );
  const chain = `${each.join(';')};${clips.map((_, at) => `[c${at}]`).join('')}${filter}`;
  const ffmpeg = findFfmpeg(null, new Models())?.path ?? 'ffmpeg';
  execFileSync(ffmpeg, ['-loglevel', 'error', ...inputs, '-filter_complex', chain, '-b:a', '96k', out]);
  return out;
}

describe.skipIf(absent !== '')('transcription jobs on real speech', () => {
  let engine: Engine;
  let folder: string;
  const undo: (() => unknown)[] = [];
  beforeAll(async () => {
    engine = openEngine(config, new Models({ root: config.models }), log);
    folder = await mkdtemp(join(tmpdir(), 'trunkline-speech-'));
    undo.push(
      () => rm(folder, { recursive: true, force: true }),
      () => engine.destroy(),
    );
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });

  it('writes what two people say, and tells them apart', async () => {
    const storage = await openStorage({ dataDir: ':memory:' });
    undo.push(() => storage.close());
    const after = (step: () => unknown) => undo.push(step);
    const { upload, submitted, ended } = await stage({
      storage,
      after,
      recognizer: engineRecognizer(engine),
      voices: engineVoices(engine),
    });
    const clips = [
      'ljspeech/LJ001-0001.wav',
      'open_speech_repository/OSR_us_000_0034_8k.wav',
      'ljspeech/LJ001-0002.wav',
    ];
    const file = await readFile(conversation(folder, clips));
    const job = await submitted(
      await upload(file, { diarize: 'true', output_formats: '["json","text","srt","vtt"]' }),
    );
    const done = await ended(job.id);
    expect(done.error).toBeUndefined();
    const text = done.text?.toLowerCase() ?? '';
    for (const said of [
      'printing',
      'with which we are at present concerned',
      'in being comparatively modern',
    ]) {
      expect(text).toContain(said);
    }
    const speakers = done.segments.map(({ speaker }) => speaker);
    expect(new Set(speakers).size).toBe(2);
    expect(speakers[0]).toBe('speaker_1');
    expect(speakers.at(-1)).toBe('speaker_1');
    expect(speakers).toContain('speaker_2');
    const times = done.words.map(({ start }) => start);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
  }, 240_000);

  itLong(
    'tells two people on one line apart, in the order in which they speak',
    async () => {
      const storage = await openStorage({ dataDir: ':memory:' });
      undo.push(() => storage.close());
      const { upload, submitted, ended } = await stage({
        storage,
        after: (step) => undo.push(step),
        recognizer: engineRecognizer(engine),
        voices: engineVoices(engine),
      });
      const katie = 'azure_samples/enrollment_audio_katie.wav';
      const steve = 'azure_samples/enrollment_audio_steve.wav';
      const file = await readFile(conversation(folder, [katie, steve, katie]));
      const done = await ended((await submitted(await upload(file, { diarize: 'true' }))).id);
      const turns = done.segments.map(({ speaker }) => speaker);
      expect([...new Set(turns)]).toEqual(['speaker_1', 'speaker_2']);
      // No speaker is confused with another: three turns, however many segments each has.
      expect(turns.filter((speaker, at) => speaker !== turns[at - 1])).toEqual([
        'speaker_1',
        'speaker_2',
        'speaker_1',
      ]);
    },
    240_000,
  );

  it('writes each utterance in its own language, with the times of the recording', async () => {
    const storage = await openStorage({ dataDir: ':memory:' });
    undo.push(() => storage.close());
    const { upload, submitted, ended } = await stage({
      storage,
      after: (step) => undo.push(step),
      recognizer: engineRecognizer(engine),
      voices: engineVoices(engine),
    });
    const english = 'asterisk_en/tt-allbusy.wav';
    const file = await readFile(conversation(folder, [english, 'css10_refs/19demarzo_0008.wav', english]));
    const done = await ended((await submitted(await upload(file))).id);
    const text = done.text?.toLowerCase() ?? '';
    const [first, spanish, again] = [
      text.indexOf('telemarketers'),
      text.indexOf('genio de la guerra'),
      text.lastIndexOf('telemarketers'),
    ] as const;
    expect(first).toBeGreaterThan(0);
    expect(spanish).toBeGreaterThan(first);
    expect(again).toBeGreaterThan(spanish);
    const starts = done.segments
      .filter(({ text: said }) => /genio|^All rep/.test(said))
      .map(({ start }) => start);
    expect(starts.length).toBe(3);
    // The clips last 9.0 and 8.4 s, each followed by half a second.
    for (const [at, expected] of [0, 9.5, 18.3].entries()) expect(starts[at]).toBeCloseTo(expected, 0);
  }, 240_000);

  itLong(
    'hears each channel in its own language',
    async () => {
      const storage = await openStorage({ dataDir: ':memory:' });
      undo.push(() => storage.close());
      const { upload, submitted, ended } = await stage({
        storage,
        after: (step) => undo.push(step),
        recognizer: engineRecognizer(engine),
        voices: engineVoices(engine),
      });
      const file = await readFile(
        twoChannels(folder, ['ljspeech/LJ001-0001.wav', 'css10_refs/19demarzo_0008.wav']),
      );
      const done = await ended((await submitted(await upload(file, { channel: 'true' }))).id);
      const said = (channel: number) =>
        done.segments
          .filter((segment) => segment.channel === channel)
          .map(({ text }) => text)
          .join(' ')
          .toLowerCase();
      expect(said(0)).toContain('printing');
      expect(said(1)).toContain('genio de la guerra');
    },
    240_000,
  );
});
