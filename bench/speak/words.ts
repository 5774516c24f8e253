/** The round trip: what Hear makes of what Speak said, streamed and as whole utterances, in the same run. */
import { type EngineVoice, transcribeRecording } from '../../src/engine/index.ts';
import { keepPart, keepRows, readRows, Section } from './parts.ts';
import { ROUND_TRIP } from './prompts.ts';
import { wordErrors } from './sound.ts';
import type { Speaker } from './stage.ts';
import { EVERY_VOICE, voice } from './voices.ts';

interface Row {
  readonly name: string;
  readonly language: string;
  readonly words: number;
  readonly streamed: number;
  readonly whole: number;
  /** What was heard of the sentence that came back worst. */
  readonly worst: { readonly said: string; readonly heard: string; readonly errors: number };
}

async function heard(speaker: Speaker, samples: Float32Array, language: string): Promise<string> {
  const pcm = Int16Array.from(samples, (value) => Math.round(value * 32_767));
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

async function measureVoice(speaker: Speaker, name: string, spoken: EngineVoice, most: number): Promise<Row> {
  const counts = { streamed: 0, whole: 0, words: 0 };
  let worst = { said: '', heard: '', errors: -1 };
  for (const said of ROUND_TRIP[spoken.language]!.slice(0, most)) {
    for (const way of ['streamed', 'whole'] as const) {
      const samples = await speaker.say(said, spoken, { rate: 16_000, whole: way === 'whole' });
      const back = await heard(speaker, samples, spoken.language);
      const { errors, words } = wordErrors(said, back);
      counts[way] += errors;
      if (way === 'streamed') counts.words += words;
      if (way === 'streamed' && errors > worst.errors) worst = { said, heard: back, errors };
    }
  }
  return { name, language: spoken.language, ...counts, worst };
}

/** A voice of each language first, then the next of each. */
const IN_TURN = EVERY_VOICE.map((name) => {
  const { language } = voice(name);
  return { name, turn: EVERY_VOICE.filter((other) => voice(other).language === language).indexOf(name) };
})
  .sort((a, b) => a.turn - b.turn)
  .map(({ name }) => name);

/** Each voice's row is kept as it is measured: a run that was cut short goes on where it ended. */
export async function measureWords(speaker: Speaker, quick: boolean): Promise<void> {
  const rows = new Map(readRows<Row>('words', quick).map((row) => [row.name, row]));
  const wanted = quick ? IN_TURN.slice(0, 2) : IN_TURN;
  const fresh = wanted.every((name) => rows.has(name));
  if (fresh) rows.clear();
  for (const name of wanted) {
    if (rows.has(name)) continue;
    rows.set(name, await measureVoice(speaker, name, voice(name), quick ? 1 : 2));
    keepRows('words', [...rows.values()], quick);
    const section = new Section();
    tellWords(section, quick);
    keepPart('words', section, quick);
  }
}

const percent = (part: number, all: number): number => (all === 0 ? 0 : (100 * part) / all);
const sum = (rows: readonly Row[], key: 'streamed' | 'whole' | 'words'): number =>
  rows.reduce((total, row) => total + row[key], 0);

export function tellWords(report: Section, quick: boolean): void {
  const rows = readRows<Row>('words', quick);
  if (rows.length === 0) return;
  report.heading('Round trip through recognition');
  report.text(
    'Words that come back wrong when Hear (Whisper base) transcribes what Speak said, of two sentences a voice: streamed, and as whole utterances, in the same run. An absolute figure holds the errors of the recogniser too: Hindi is heard, and written down badly; German is the voice (docs/decisions/074-ear-or-voice.md).',
  );
  if (rows.length < EVERY_VOICE.length)
    report.text(`Measured so far: ${rows.length} of ${EVERY_VOICE.length} voices.`);
  const languages = [...new Set(rows.map(({ language }) => language))];
  report.table(
    ['language', 'voices', 'words', 'streamed, % wrong', 'whole, % wrong'],
    languages.map((language) => {
      const of = rows.filter((row) => row.language === language);
      const words = sum(of, 'words');
      return [
        language,
        of.length,
        words,
        percent(sum(of, 'streamed'), words),
        percent(sum(of, 'whole'), words),
      ];
    }),
  );
  report.table(
    ['voice', 'language', 'words', 'streamed, % wrong', 'whole, % wrong', 'heard of the worst sentence'],
    rows.map(({ name, language, words, streamed, whole, worst }) => [
      name,
      language,
      words,
      percent(streamed, words),
      percent(whole, words),
      worst.errors > 0 ? worst.heard.replaceAll('|', ' ') : 'every word',
    ]),
  );
  const words = sum(rows, 'words');
  const whole = percent(sum(rows, 'whole'), words);
  report.figure({
    name: 'round-trip word errors, streamed, all voices',
    value: percent(sum(rows, 'streamed'), words),
    unit: '%',
    goal: { atMost: Math.round((whole + 1) * 100) / 100 },
    peer: 'whole utterance',
    peerValue: whole,
  });
  for (const language of languages) {
    const of = rows.filter((row) => row.language === language);
    const own = percent(sum(of, 'whole'), sum(of, 'words'));
    report.figure({
      name: `round-trip word errors, streamed, ${language}`,
      value: percent(sum(of, 'streamed'), sum(of, 'words')),
      unit: '%',
      peer: 'whole utterance',
      peerValue: own,
    });
  }
}
