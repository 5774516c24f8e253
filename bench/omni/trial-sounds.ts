/**
 * Writes the sounds of a half, which native/test/measure/interruption_calls.cc plays in virtual time: `npm run bench --
 * omni/trial-sounds.ts FOLDER [development | held-out [LANGUAGE…]]`. Unseen speakers say the other languages of the
 * development half, and say more; the nets of other languages have learnt from them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LINE_RATE, type SpeechClip } from '../../src/apps/caller/index.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { Engine, type EngineVoice, speechSettings, synthesizeJob } from '../../src/media/engine/index.ts';
import { stockVoice } from '../../src/speech/voices/catalogue.ts';
import { StockVoices } from '../../src/speech/voices/stock.ts';
import { Corpus, type Half, type Speaks } from './corpus.ts';
import { OTHER_LANGUAGES, otherLanguageSet, SPEEDS } from './other-languages.ts';
import { generatedBackchannels, interruptionSet, noiseSet } from './trial-sets.ts';
import { MORE, UNSEEN_SPEAKER_SPEEDS, UNSEEN_SPEAKERS, unseenSpeakersOf } from './unseen-speakers.ts';

function speaker(folder: string): Speaks & { destroy(): void } {
  const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(folder) });
  const awake = setInterval(() => {}, 60_000);
  const stock = new StockVoices();
  const unseen = new Map<string, EngineVoice>(
    OTHER_LANGUAGES.flatMap(({ language }) => [...unseenSpeakersOf(language)]),
  );
  return {
    async speak(input, name, speed = 1) {
      const known = unseen.get(name) ?? stockVoice(stock.resolve(name)).engine;
      const manner = { ...known.manner, speed: speed * (known.manner?.speed ?? 1) };
      const options = { voice: { ...known, manner }, rate: LINE_RATE, format: 'pcm16' } as const;
      await engine.prepared();
      const bytes = Uint8Array.from(await engine.submit(synthesizeJob, options, Buffer.from(input)).result());
      return new Int16Array(bytes.buffer, 0, bytes.byteLength >> 1);
    },
    destroy() {
      clearInterval(awake);
      engine.destroy();
    },
  };
}

async function* sounds(
  half: Half,
  by: Speaks,
  wanted: readonly string[],
): AsyncGenerator<readonly [string, SpeechClip]> {
  const corpus = new Corpus(half);
  const asked = (language: string) => wanted.length === 0 || wanted.includes(language);
  if (asked('en')) yield* inEnglish(corpus, by);
  for (const one of OTHER_LANGUAGES) {
    if (!asked(one.language)) continue;
    for (const clip of await (half === 'held-out' ? reported(by, corpus, one) : bySettings(by, corpus, one)))
      yield [one.language, clip];
  }
}

async function* inEnglish(corpus: Corpus, by: Speaks): AsyncGenerator<readonly [string, SpeechClip]> {
  for (const clip of interruptionSet(corpus, false)) yield ['en', { ...clip, kind: 'interruption' }];
  for (const clip of corpus.listening()) yield ['en', clip];
  for (const clip of noiseSet(corpus, false)) yield ['en', clip];
  for (const clip of await corpus.generatedSounds(by, generatedBackchannels(false))) yield ['en', clip];
}

type Foreign = (typeof OTHER_LANGUAGES)[number];

const reported = (by: Speaks, corpus: Corpus, one: Foreign) =>
  otherLanguageSet(by, corpus, one, one.voices, SPEEDS);

function bySettings(by: Speaks, corpus: Corpus, one: Foreign): Promise<SpeechClip[]> {
  const voices = UNSEEN_SPEAKERS.map((name) => `${one.language} ${name}`);
  const more = MORE[one.language];
  const all = {
    ...one,
    listening: [...one.listening, ...more.listening],
    saying: [...one.saying, ...more.saying],
  };
  return otherLanguageSet(by, corpus, all, voices, UNSEEN_SPEAKER_SPEEDS);
}

const [folder, half = 'development', ...wanted] = process.argv.slice(2);
if (folder === undefined || (half !== 'development' && half !== 'held-out'))
  throw new Error('trial-sounds.ts FOLDER [development | held-out [LANGUAGE…]]');
mkdirSync(folder, { recursive: true });
const by = speaker(folder);
const lines: string[] = [];
for await (const [language, { kind, path, startMs, samples }] of sounds(half, by, wanted)) {
  const file = `${lines.length}.raw`;
  writeFileSync(join(folder, file), Buffer.from(Int16Array.from(samples).buffer));
  lines.push(JSON.stringify({ language, kind, path, file, startMs }).replaceAll('":', '": '));
}
writeFileSync(join(folder, 'trials.jsonl'), lines.map((line) => `${line}\n`).join(''));
by.destroy();
