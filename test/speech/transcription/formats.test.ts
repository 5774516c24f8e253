import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../../src/foundation/storage/index.ts';
import {
  type RecognitionStep,
  type RecognizeOptions,
  type Recognizer,
  SAMPLE_RATE,
} from '../../../src/speech/transcription/index.ts';
import { absent, invent, make, workFolder } from '../../media/codec/recordings.ts';
import { stage } from './stage.ts';

const SECONDS = 9.655;
const FORMATS: [string, string, string[]][] = [
  ['wav', 'wav', ['-c:a', 'pcm_s16le']],
  ['wav, u-law of a telephone', 'wav', ['-c:a', 'pcm_mulaw', '-ar', '8000']],
  ['mp3', 'mp3', ['-b:a', '64k']],
  ['mp3 that declares no length', 'mp3', ['-b:a', '64k', '-write_xing', '0']],
  ['m4a, as phones write it', 'm4a', ['-c:a', 'aac']],
  ['m4a, index first', 'm4a', ['-c:a', 'aac', '-movflags', '+faststart']],
  ['flac', 'flac', ['-c:a', 'flac']],
  ['ogg, Vorbis', 'ogg', ['-c:a', 'libvorbis']],
  ['ogg, Opus', 'opus', ['-c:a', 'libopus']],
];

/** Returns the audio's level as text: it is empty where the decoder gave silence. */
class LoudnessRecognizer implements Recognizer {
  async *transcribe(pcm: AsyncIterable<Buffer>, { from }: RecognizeOptions): AsyncGenerator<RecognitionStep> {
    let samples = 0;
    let power = 0;
    for await (const piece of pcm) {
      for (let at = 0; at + 1 < piece.length; at += 2) power += (piece.readInt16LE(at) / 32768) ** 2;
      samples += piece.length / 2;
    }
    const [text, end] = [String(Math.round(10 * Math.log10(power / samples))), from + samples / SAMPLE_RATE];
    const words = [{ word: text, start: from, end }];
    yield { span: { start: from, end, text, words, language: 'en' }, done: end };
  }
}

describe.skipIf(absent)('the audio of a job', () => {
  const folder = workFolder();
  afterAll(() => folder.remove());

  async function setup() {
    const storage = await openStorage({ dataDir: ':memory:' });
    onTestFinished(() => storage.close());
    const after = (step: () => unknown) => onTestFinished(async () => void (await step()));
    return await stage({ storage, after, recognizer: new LoudnessRecognizer() });
  }

  it.each(FORMATS)('may be %s, by form and by URL', async (name, extension, args) => {
    const { upload, post, submitted, ended, serve } = await setup();
    const file = readFileSync(make(folder.path, `${name.replaceAll(/\W/g, '')}.${extension}`, ...args));
    const byForm = await ended((await submitted(await upload(file))).id);
    const byUrl = await ended((await submitted(await post({ audio_url: await serve(file) }))).id);
    for (const job of [byForm, byUrl]) {
      expect([job.status, job.error]).toEqual(['completed', undefined]);
      expect(Math.abs((job.duration_s ?? 0) - SECONDS)).toBeLessThan(0.15);
      // The recording's own level is -22 dB of full scale.
      expect(Math.abs(Number(job.text) - -22)).toBeLessThanOrEqual(2);
    }
  });

  it('is refused at once where it is too long, though the file declares no length', async () => {
    const { upload, access, blobs, ended } = await setup();
    access.jobUpload = { bytes: 10_000_000, seconds: 80 };
    const tone = (seconds: number, name: string, ...args: string[]) =>
      readFileSync(
        invent(folder.path, name, `sine=frequency=300:duration=${seconds}`, '-b:a', '64k', ...args),
      );
    for (const [extension, ...args] of [
      ['mp3', '-write_xing', '0'],
      ['ogg', '-c:a', 'libvorbis'],
      ['aac'],
    ] as const) {
      const refused = await upload(tone(100, `long.${extension}`, ...args));
      const body = (await refused.json()) as { error: { message: string } };
      expect([extension, refused.status, body]).toMatchObject([
        extension,
        413,
        { error: { code: 'payload_too_large', param: 'file' } },
      ]);
      expect(body.error.message).toMatch(/longer than the limit of 80 seconds/);
      const accepted = await upload(tone(75, `short.${extension}`, ...args));
      expect([extension, accepted.status]).toEqual([extension, 201]);
      await ended(((await accepted.json()) as { id: string }).id);
    }
    let stored = 0;
    for await (const _ of blobs.owners('jobs')) stored += 1;
    expect(stored).toBe(3);
  }, 120_000);
});
