// npm run bench -- languages [PART…]: measures calls that follow their caller's language: false switches per hour of
// speech in one language, and how soon a call follows a caller who switches, with real recordings. Each part stores
// its results in build-bench/languages, and the report joins them.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gained, LINE_RATE, levelOf, noise, overUlaw, type SpeechClip } from '../../src/apps/caller/index.ts';
import type { ServedLanguage } from '../../src/conversation/calls/index.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { Engine, speechSettings } from '../../src/media/engine/index.ts';
import { describeMachine, type Report, runBench } from '../harness/index.ts';
import { FollowedCall, type Judged } from './call.ts';
import { falseSwitches, following, type OneLanguage, type TwoLanguages } from './figures.ts';
import { HINDI, MIXED } from './hindi.ts';
import { Recordings } from './recordings.ts';
import { sentence } from './sentence.ts';

const ALL: readonly ServedLanguage[] = ['en', 'fr', 'es', 'hi'];
const FOLDER = 'build-bench/languages';
const SNR_DB = 12;
const LEAST_S = 1.8;
const MOST_S = 9;

interface Part {
  readonly commit: string | null;
  readonly one?: OneLanguage;
  readonly two?: readonly TwoLanguages[];
}

interface Setting {
  readonly engine: Engine;
  readonly recordings: Recordings;
  readonly quick: boolean;
}

type Measure = (setting: Setting) => Promise<Omit<Part, 'commit'>>;

const real =
  (
    language: ServedLanguage,
    fits: (path: string) => boolean,
    onLine = (clip: SpeechClip) => clip.samples,
  ): Measure =>
  async ({ engine, recordings, quick }) => {
    const clips = recordings.in(language).filter(({ path }) => fits(path));
    return { one: await oneLanguage(engine, language, clips.slice(0, quick ? 5 : clips.length).map(onLine)) };
  };

/** The agent has none of these languages, so that any change is into one that nobody spoke. */
const others =
  (...languages: readonly string[]): Measure =>
  async ({ engine, recordings, quick }) => {
    const clips = languages.flatMap((language) => recordings.in(language));
    const said = clips.slice(0, quick ? 4 : clips.length).map(({ samples }) => samples);
    return { one: await oneLanguage(engine, 'en', said) };
  };

const generated =
  (language: ServedLanguage, texts: readonly string[]): Measure =>
  async ({ engine, quick }) => {
    const said = [];
    for (const text of texts.slice(0, quick ? 4 : texts.length))
      said.push(await sentence(engine, 'psi_hi_in', text));
    return { one: await oneLanguage(engine, language, said) };
  };

/** Thresholds were chosen with the speakers of the one half, and are measured with those of the other. */
type Half = 'development' | 'held out';
const PAIRS: readonly (readonly [from: ServedLanguage, to: ServedLanguage])[] = [
  ['en', 'es'],
  ['en', 'fr'],
  ['es', 'en'],
  ['fr', 'en'],
  ['es', 'fr'],
  ['fr', 'es'],
];

const isAn4 = (path: string): boolean => path.startsWith('an4/');

const OTHERS = 'German, Dutch, Italian and Portuguese';
const PARTS: Readonly<Record<string, Measure>> = {
  'English, AN4': real('en', isAn4),
  'English, others': real('en', (path) => !isAn4(path)),
  Spanish: real('es', () => true),
  French: real('fr', () => true),
  'English, AN4, in noise': real('en', isAn4, inNoise),
  'English, others, in noise': real('en', (path) => !isAn4(path), inNoise),
  'Spanish, in noise': real('es', () => true, inNoise),
  'French, in noise': real('fr', () => true, inNoise),
  [OTHERS]: others('de', 'nl', 'it', 'pt'),
  'Hindi, generated': generated('hi', HINDI),
  'Hindi and English mixed, generated': generated('hi', MIXED),
  ...Object.fromEntries(
    PAIRS.map((pair) => [
      `two languages, ${pair.join(' to ')}`,
      async (setting: Setting) => ({ two: await twoLanguages(setting, 'held out', pair) }),
    ]),
  ),
  ...Object.fromEntries(
    PAIRS.map((pair) => [
      `development, ${pair.join(' to ')}`,
      async (setting: Setting) => ({ two: await twoLanguages(setting, 'development', pair) }),
    ]),
  ),
};

function inNoise({ samples }: SpeechClip): Int16Array {
  const hiss = noise(samples.length / LINE_RATE, samples.length);
  const level = levelOf(samples) - SNR_DB;
  const line = gained(hiss, level - levelOf(hiss));
  return overUlaw(samples.map((sample, at) => Math.max(-32768, Math.min(32767, sample + (line[at] ?? 0)))));
}

async function oneLanguage(
  engine: Engine,
  language: ServedLanguage,
  recordings: readonly Int16Array[],
): Promise<OneLanguage> {
  const call = new FollowedCall(engine, ALL, language);
  for (const samples of recordings) await call.say(samples);
  call.close();
  return {
    seconds: recordings.reduce((sum, { length }) => sum + length / LINE_RATE, 0),
    utterances: call.heard.length,
    elsewhere: call.heard.filter(({ utterance }) => (utterance.identified?.language ?? language) !== language)
      .length,
    switches: call.heard.filter(({ decision }) => decision !== null).length,
  };
}

const isUtterance = ({ samples }: SpeechClip): boolean =>
  samples.length >= LEAST_S * LINE_RATE && samples.length <= MOST_S * LINE_RATE;

/** This argument measures nothing, and joins what is stored. */
const JOIN = 'report';
const CALLS_OF_A_PAIR = 8;
const THERE = 3;

const speakerOf = ({ path }: SpeechClip): string => path.split('/').slice(0, -1).join('/');

/** The speakers of a language are dealt to the halves in turn, the one with most recordings first. */
function halfOf(clips: readonly SpeechClip[], half: Half): SpeechClip[] {
  const speakers = [...new Set(clips.map(speakerOf))]
    .map((speaker) => clips.filter((clip) => speakerOf(clip) === speaker))
    .sort((one, other) => other.length - one.length);
  return speakers.flatMap((of, at) => ((at % 2 === 0) === (half === 'development') ? of : []));
}

/** The call has one utterance of a language, three of another, and three of the first, by different speakers. */
async function twoLanguages(
  { engine, recordings, quick }: Setting,
  half: Half,
  [from, to]: (typeof PAIRS)[number],
): Promise<TwoLanguages[]> {
  const [first, other] = [from, to].map((language) =>
    halfOf(
      recordings.in(language).filter((clip) => isUtterance(clip) && !isAn4(clip.path)),
      half,
    ),
  ) as [SpeechClip[], SpeechClip[]];
  const out: TwoLanguages[] = [];
  const most = quick ? 1 : Math.min(CALLS_OF_A_PAIR, Math.floor(other.length / THERE));
  for (let at = 0; at < most; at++) {
    const around = Array.from({ length: THERE + 1 }, (_, nth) => first[(at * 4 + nth) % first.length]);
    const between = other.slice(at * THERE, (at + 1) * THERE);
    out.push(await follow(engine, [from, to], around as SpeechClip[], between));
  }
  return out;
}

async function follow(
  engine: Engine,
  [from, to]: readonly [ServedLanguage, ServedLanguage],
  around: readonly SpeechClip[],
  other: readonly SpeechClip[],
): Promise<TwoLanguages> {
  const call = new FollowedCall(engine, [from, to], from);
  const [first, ...later] = around;
  const marks: number[] = [];
  for (const part of [[first], other, later]) {
    for (const clip of part) if (clip !== undefined) await call.say(clip.samples);
    marks.push(call.heard.length);
  }
  call.close();
  const [begun = 0, left = 0, over = 0] = marks;
  const there = switchedTo(call.heard.slice(begun, left), to);
  const back = switchedTo(call.heard.slice(left, over), from);
  const switches = call.heard.filter(({ decision }) => decision !== null).length;
  const right = Number(there !== null) + Number(back !== null);
  const heard = call.heard.map(({ utterance: { text, identified }, current }) => ({
    words: text.split(' ').length,
    ...identified,
    current,
  }));
  return { from, to, until: there, back, wrong: switches - right, marks, heard };
}

function switchedTo(heard: readonly Judged[], language: string): number | null {
  const at = heard.findIndex(({ decision }) => decision?.to === language);
  return at < 0 ? null : at + 1;
}

const fileOf = (part: string): string =>
  `${FOLDER}/${part.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}.json`;

function stored(part: string): Part | null {
  try {
    return JSON.parse(readFileSync(fileOf(part), 'utf8')) as Part;
  } catch {
    return null;
  }
}

async function measure(
  report: Report,
  { quick, parts }: { quick: boolean; parts: readonly string[] },
): Promise<void> {
  const wanted = parts.length === 0 ? Object.keys(PARTS) : parts;
  const measured = new Map<string, Part>();
  if (wanted.includes(JOIN)) return notify(report, joined(measured, quick));
  const models = new Models().wholeFiles();
  const engine = new Engine({ models, settings: speechSettings(FOLDER), device: 'cpu' });
  await engine.prepared();
  const setting = { engine, recordings: new Recordings(), quick };
  const { commit } = describeMachine();
  mkdirSync(FOLDER, { recursive: true });
  for (const name of wanted) {
    const run = PARTS[name];
    if (run === undefined) throw new Error(`there is no part ${name}: ${Object.keys(PARTS).join('; ')}`);
    const part = { commit, ...(await run(setting)) };
    measured.set(name, part);
    if (!quick) writeFileSync(fileOf(name), JSON.stringify(part));
    console.log(name, JSON.stringify(part));
  }
  engine.destroy();
  notify(report, joined(measured, quick));
}

/** Adds the stored results of parts that were not measured now. */
function joined(measured: Map<string, Part>, quick: boolean): ReadonlyMap<string, Part> {
  for (const name of Object.keys(PARTS)) {
    const before = quick ? null : stored(name);
    if (!measured.has(name) && before !== null) measured.set(name, before);
  }
  return measured;
}

function notify(report: Report, measured: ReadonlyMap<string, Part>): void {
  const one = [...measured].flatMap(([name, { one: of, commit }]) =>
    of === undefined ? [] : [{ name, commit, ...of }],
  );
  const recorded = one.filter(({ name }) => !name.includes('generated') && name !== OTHERS);
  if (recorded.length > 0) report.figure(falseSwitches(recorded));
  const mixed = measured.get('Hindi and English mixed, generated')?.one;
  if (mixed !== undefined)
    report.figure({
      name: 'switches of a caller who mixes Hindi and English, generated',
      value: mixed.switches,
      unit: '',
      goal: { atMost: 0 },
    });
  const pairs = [...measured].filter(([name]) => name.startsWith('two languages'));
  const two = pairs.flatMap(([, { two: of = [] }]) => of);
  if (two.length > 0) {
    for (const figure of following(two)) report.figure(figure);
    report.figure({
      name: 'switches into a language that nobody spoke',
      value: two.reduce((sum, { wrong }) => sum + wrong, 0),
      unit: 'calls',
      goal: { atMost: 0 },
    });
  }
  report.text(
    'An agent with English, French, Spanish and Hindi hears recordings of one language in one call, one speaker after the other, through 8 kHz u-law; noise is white, 12 dB below the voice. ' +
      'Calls of two languages have one utterance of a language, three of another, and three of the first, by speakers of prompts and read speech. The limits of the decision were chosen with other speakers than those that are measured. No recording of Hindi was at hand: what is generated is spoken by one voice of Speak.',
  );
  report.table(
    ['one language', 'minutes', 'utterances', 'written in another language', 'false switches', 'measured at'],
    one.map(({ name, seconds, utterances, elsewhere, switches: false_, commit }) => [
      name,
      (seconds / 60).toFixed(1),
      utterances,
      elsewhere,
      false_,
      commit,
    ]),
  );
  report.table(
    [
      'two languages',
      'calls',
      'followed by the second utterance',
      'by the third',
      'back within three',
      'measured at',
    ],
    pairs.map(([name, { two: of = [], commit }]) => [
      name.replace('two languages, ', ''),
      of.length,
      of.filter(({ until }) => until !== null && until <= 2).length,
      of.filter(({ until }) => until !== null).length,
      of.filter(({ back }) => back !== null).length,
      commit,
    ]),
  );
}

await runBench('languages', "The caller's language", measure);
