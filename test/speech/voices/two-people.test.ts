import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { Engine } from '../../../src/media/engine/index.ts';
import { speakersInRecording } from '../../../src/speech/transcription/index.ts';
import { StockVoices, StyleFitter } from '../../../src/speech/voices/index.ts';

const SPEECH = process.env.TRUNKLINE_SPEECH ?? join(process.cwd(), '../shared/speech');
const models = new Models();
const absent = !models.status('speakers').ready || !existsSync(SPEECH);
if (absent && process.env.CI === 'true') throw new Error(`absent: speakers or ${SPEECH}`);

const recording = (name: string): Buffer =>
  readFileSync(join(SPEECH, name)).subarray(44, 44 + 10 * 2 * 16_000);
const KATIE = 'azure_samples/enrollment_audio_katie.wav';
const STEVE = 'azure_samples/enrollment_audio_steve.wav';
const signal = new AbortController().signal;

describe.skipIf(absent)('a sample of a voice', { timeout: 60_000 }, () => {
  let engine: Engine;
  beforeAll(async () => {
    const files = Object.entries(models.wholeFiles()).filter(([path]) => path.startsWith('speakers/'));
    engine = new Engine({ models: Object.fromEntries(files), device: 'cpu' });
    await engine.prepared();
  }, 120_000);
  afterAll(() => engine?.destroy());

  it('is said to hold as many people as speak in it', async () => {
    const count = (pcm: Buffer) => speakersInRecording(engine, pcm, signal);
    expect(await count(recording(KATIE))).toBe(1);
    expect(await count(recording(STEVE))).toBe(1);
    expect(await count(Buffer.concat([recording(KATIE), recording(STEVE)]))).toBe(2);
    expect(await count(Buffer.alloc(3 * 2 * 16_000))).toBe(0);
  });

  it('counts the people of a recording that is longer than the engine takes at once', async () => {
    const long = Buffer.concat(Array.from({ length: 4 }, () => [recording(KATIE), recording(STEVE)]).flat());
    expect(await speakersInRecording(engine, long, signal)).toBe(2);
  });

  it('is refused for a clone when two people speak in it', async () => {
    const fitter = new StyleFitter(engine, new StockVoices());
    const both = Buffer.concat([recording(KATIE), recording(STEVE)]);
    await expect(fitter.fit(both, signal)).rejects.toMatchObject({
      code: 'invalid_voice_sample',
      message: expect.stringContaining('several speakers'),
    });
  });
});
