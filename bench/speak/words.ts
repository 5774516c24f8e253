/**
 * The round trip: the word error rate of Hear for the speech of Speak, streamed and as whole utterances, in the same
 * run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EngineVoice, HEAR_LANGUAGES, transcribeRecording } from '../../src/media/engine/index.ts';
import { wavOf } from '../harness/index.ts';
import { preparePeer, runPeer } from '../hear/peer.ts';
import { keepPart, keepRows, type Origin, originNow, readRows, Section } from './parts.ts';
import { ROUND_TRIP } from './prompts.ts';
import type { Speaker } from './served-surface.ts';
import { wordErrors } from './sound.ts';
import { EVERY_VOICE, voice } from './voices.ts';

interface Sentence {
  readonly words: number;
  readonly streamed: number;
  readonly whole: number;
}

interface Row {
  readonly name: string;
  readonly language: string;
  readonly commit: string | null;
  readonly sentences: readonly Sentence[];
  readonly worst: { readonly said: string; readonly heard: string; readonly errors: number };
}

/** It leads Whisper to the characters of the mainland, where it writes either. */
const PEER_PROMPTS: Readonly<Record<string, string>> = { zh: '以下是普通话的句子。' };

/** Languages that Hear does not offer are heard by faster-whisper, with the same weights. */
function heardByPeer(pcm: Int16Array, language: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'speak-bench-'));
  try {
    const path = join(folder, 'said.wav');
    writeFileSync(path, wavOf(Buffer.from(pcm.buffer), 16_000));
    const prompt = PEER_PROMPTS[language];
    const [answer] = runPeer(preparePeer(), [{ path, language, ...(prompt ? { prompt } : {}) }], 5);
    return answer?.text ?? '';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function heard(speaker: Speaker, samples: Float32Array, language: string): Promise<string> {
  const pcm = Int16Array.from(samples, (value) => Math.round(value * 32_767));
  if (!HEAR_LANGUAGES.some((known) => known === language)) return heardByPeer(pcm, language);
  async function* bytes() {
    yield new Uint8Array(pcm.buffer);
  }
  const texts: string[] = [];
  const heardAs = { language: language as 'en' };
  for await (const { segment } of transcribeRecording(speaker.engine, bytes(), heardAs)) {
    if (segment) texts.push(segment.text);
  }
  return texts.join(' ');
}

async function measureVoice(
  speaker: Speaker,
  name: string,
  spoken: EngineVoice,
  origin: Origin,
  most: number,
): Promise<Row> {
  const sentences: Sentence[] = [];
  let worst = { said: '', heard: '', errors: -1 };
  for (const said of ROUND_TRIP[spoken.language]!.slice(0, most)) {
    const counts = { streamed: 0, whole: 0, words: 0 };
    for (const way of ['streamed', 'whole'] as const) {
      const samples = await speaker.say(said, spoken, { rate: 16_000, whole: way === 'whole' });
      const back = await heard(speaker, samples, spoken.language);
      const { errors, words } = wordErrors(said, back);
      counts[way] = errors;
      counts.words = words;
      if (way === 'streamed' && errors > worst.errors) worst = { said, heard: back, errors };
    }
    sentences.push(counts);
  }
  return { name, language: spoken.language, commit: origin.commit, sentences, worst };
}

const IN_TURN = EVERY_VOICE.map((name) => {
  const { language } = voice(name);
  return { name, turn: EVERY_VOICE.filter((other) => voice(other).language === language).indexOf(name) };
})
  .sort((a, b) => a.turn - b.turn)
  .map(({ name }) => name);

/** Each voice's row is stored at once: an interrupted run resumes on the same commit. */
export async function measureWords(speaker: Speaker, quick: boolean, language?: string): Promise<void> {
  const origin = originNow();
  const before = readRows<Row>('words', quick).filter(
    ({ commit }) => commit !== null && commit === origin.commit,
  );
  const rows = new Map(before.map((row) => [row.name, row]));
  const spoken = IN_TURN.filter((name) => language === undefined || voice(name).language === language);
  const wanted = quick ? spoken.slice(0, 2) : spoken;
  if (wanted.every((name) => rows.has(name))) rows.clear();
  for (const name of wanted) {
    if (rows.has(name)) continue;
    const engineVoice = voice(name);
    const most = quick ? 1 : (SENTENCES[engineVoice.language] ?? 8);
    rows.set(name, await measureVoice(speaker, name, engineVoice, origin, most));
    keepRows('words', [...rows.values()], quick);
    const section = new Section();
    reportWords(section, quick);
    keepPart('words', section, origin, quick);
  }
}

/**
 * English has thirty-three voices; Hindi is recognized badly in any voice (decision 074). The single voices of French
 * and of German say more.
 */
const SENTENCES: Readonly<Record<string, number>> = { en: 2, hi: 2, fr: 12, de: 12, it: 12 };

const percent = (part: number, all: number): number => (all === 0 ? 0 : (100 * part) / all);
const total = (sentences: readonly Sentence[], key: keyof Sentence): number =>
  sentences.reduce((sum, sentence) => sum + sentence[key], 0);
const allOf = (rows: readonly Row[]): Sentence[] => rows.flatMap(({ sentences }) => sentences);

/** Returns the 95 % bootstrap interval of streamed minus whole, from a thousand resamples of the sentences. */
function difference(sentences: readonly Sentence[]): string {
  let state = 1;
  const draw = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return sentences[Math.floor((state / 2 ** 32) * sentences.length)]!;
  };
  const differences = Array.from({ length: 1000 }, () => {
    const drawn = sentences.map(draw);
    return percent(total(drawn, 'streamed') - total(drawn, 'whole'), total(drawn, 'words'));
  }).sort((a, b) => a - b);
  return `${differences[25]!.toFixed(1)} to ${differences[974]!.toFixed(1)}`;
}

export function reportWords(report: Section, quick: boolean): void {
  const rows = readRows<Row>('words', quick);
  if (rows.length === 0) return;
  report.heading('Round trip through recognition');
  report.text(
    'Words that come back wrong when Hear (Whisper base) transcribes what Speak said: streamed, and as whole utterances, in the same run. Chinese and Japanese count characters, and are transcribed by faster-whisper with the same weights, because Hear does not offer them. Sentences hold numbers, names, dates and prices except in English and Hindi. "Difference" is streamed less whole, in points, and holds nineteen times in twenty if sentences are drawn again: where it spans zero, nothing was shown either way. An absolute figure holds the errors of the recogniser too: Hindi is heard, and written down badly; German is the voice (docs/decisions/074-hindi-and-german-round-trip.md).',
  );
  if (rows.length < EVERY_VOICE.length)
    report.text(`Measured so far: ${rows.length} of ${EVERY_VOICE.length} voices.`);
  const languages = [...new Set(rows.map(({ language }) => language))];
  report.table(
    ['language', 'voices', 'words', 'streamed, % wrong', 'whole, % wrong', 'difference, points'],
    languages.map((language) => {
      const of = rows.filter((row) => row.language === language);
      const sentences = allOf(of);
      const words = total(sentences, 'words');
      return [
        language,
        of.length,
        words,
        percent(total(sentences, 'streamed'), words),
        percent(total(sentences, 'whole'), words),
        difference(sentences),
      ];
    }),
  );
  report.table(
    ['voice', 'language', 'words', 'streamed, % wrong', 'whole, % wrong', 'heard of the worst sentence'],
    rows.map(({ name, language, sentences, worst }) => {
      const words = total(sentences, 'words');
      return [
        name,
        language,
        words,
        percent(total(sentences, 'streamed'), words),
        percent(total(sentences, 'whole'), words),
        worst.errors > 0 ? worst.heard.replaceAll('|', ' ') : 'every word',
      ];
    }),
  );
  reportFigure(report, 'all voices', allOf(rows), true);
  reportFigure(
    report,
    'all languages but English and Hindi',
    allOf(rows.filter(({ language }) => !['en', 'hi'].includes(language))),
    true,
  );
  for (const language of languages) {
    reportFigure(report, language, allOf(rows.filter((row) => row.language === language)), false);
  }
}

function reportFigure(report: Section, what: string, sentences: readonly Sentence[], goal: boolean): void {
  const words = total(sentences, 'words');
  if (words === 0) return;
  const whole = percent(total(sentences, 'whole'), words);
  report.figure({
    name: `round-trip word errors, streamed, ${what}`,
    value: percent(total(sentences, 'streamed'), words),
    unit: '%',
    ...(goal ? { goal: { atMost: Math.round((whole + 1) * 100) / 100 } } : {}),
    peer: 'whole utterance',
    peerValue: whole,
  });
}
