/**
 * Backchannels are learnt from these sounds (models/recipes/listening): of the development half alone, so that the
 * other half stays unseen.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  atVoiceLevel,
  clipOf,
  LINE_RATE,
  levelOf,
  SeededRandom,
  type SpeechClip,
} from '../../src/apps/caller/index.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { Engine, speechSettings, synthesizeJob } from '../../src/media/engine/index.ts';
import { Corpus, type Recorded, SAID_ALONE, SILENT_DBFS, spread } from './corpus.ts';
import { OTHER_LANGUAGES } from './other-languages.ts';
import { PHRASES, type Phrases, type Tongue } from './phrases.ts';
import { type Foreign, MORE_PHRASES } from './phrases-other-languages.ts';
import { type Speaker, STOCK_SPEAKERS, speakerOf, unseenSpeaker } from './speakers.ts';
import { beginningsOf } from './speech-onsets.ts';
import { MORE, UNSEEN_SPEAKER_SPEEDS, unseenSpeakersOf } from './unseen-speakers.ts';

/** A recording's later words may be backchannels too. */
const MAY_LISTEN = /\b(yes|yeah|yep|okay|ok|right|sure|alright|good|great|mm|mhm|uh|um|oh|ah|hm+|well|so)\b/i;
const OPENS_LISTENING = new RegExp(`^\\W*${MAY_LISTEN.source}`, 'i');
const BEGINNINGS = 6;
const UNSEEN_SPEAKERS = {
  en: { listening: 10, saying: 4 },
  other: { listening: 8, saying: 3 },
  more: { listening: 4, saying: 1 },
} as const;
/** More concurrent requests do not use more of the machine. */
const AT_ONCE = 3;
const BY_ONE_ENGINE = 500;
const LONGEST = 2 * LINE_RATE;

interface ClipRequest {
  readonly tongue: Tongue;
  readonly listens: boolean;
  readonly text: string;
  readonly speaker: Speaker;
}

interface Learnt {
  readonly tongue: Tongue;
  readonly kind: string;
  readonly who: readonly string[];
  readonly text: string;
  readonly file: string;
}

/**
 * The first nets alone judge English; the others learn from it only how people are recorded, and more of other
 * languages.
 */
export type Nets = 'first' | 'elsewhere';

/**
 * Writes into `folder` at most `most` of each language's recordings of a kind, and as many of its generated speech.
 */
export async function writeClips(folder: string, most: number, nets: Nets): Promise<void> {
  mkdirSync(join(folder, 'spoken'), { recursive: true });
  const corpus = new Corpus('development');
  const lines: Learnt[] = [];
  for (const tongue of Object.keys(PHRASES) as Tongue[]) {
    for (const { clip, ...known } of recorded(corpus, tongue, most)) {
      const file = `${lines.length}.raw`;
      write(join(folder, file), clip);
      lines.push({ ...known, text: clip.text, file });
    }
    lines.push(...(await spoken(folder, spread(wantedIn(tongue, nets), most), tongue)));
  }
  writeFileSync(join(folder, 'clips.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function recorded(corpus: Corpus, tongue: Tongue, most: number) {
  const listening = tongue === 'en' ? corpus.listening() : [];
  const noises = tongue === 'en' ? corpus.noises().filter(({ path }) => path.endsWith('-30')) : [];
  const said = corpus.speech(({ text }) => !SAID_ALONE.test(text), Math.min(most, 10_000), tongue);
  return [
    ...spread(listening, most).map((clip) => ({ tongue, kind: 'real listening', who: [clip.group], clip })),
    ...spread(noises, most).map((clip) => ({ tongue, kind: 'noise', who: [clip.path], clip })),
    ...said.flatMap(known).map((clip) => ({ tongue, kind: 'real saying', who: [clip.group], clip })),
  ];
}

async function spoken(folder: string, wanted: readonly ClipRequest[], tongue: Tongue): Promise<Learnt[]> {
  const missing = wanted.filter((one) => !existsSync(join(folder, fileOf(one))));
  for (let from = 0; from < missing.length; from += BY_ONE_ENGINE) {
    console.log(`${tongue}: ${from} of ${missing.length} spoken`);
    await speak(folder, missing.slice(from, from + BY_ONE_ENGINE));
  }
  return wanted
    .filter((one) => statSync(join(folder, fileOf(one))).size > 0)
    .map((one) => {
      const kind = `generated ${one.listens ? 'listening' : 'saying'}`;
      return { tongue, kind, who: one.speaker.styles, text: one.text, file: fileOf(one) };
    });
}

function write(file: string, clip: SpeechClip | null): void {
  const samples = Int16Array.from(clip?.samples.subarray(0, LONGEST) ?? []);
  writeFileSync(file, Buffer.from(samples.buffer));
}

/**
 * Cached speech is used again: the same words in the same voice are the same samples, until the models of Speak
 * change; then the folder must be removed.
 */
function fileOf({ text, speaker }: ClipRequest): string {
  const said = createHash('sha256').update(JSON.stringify([speaker.voice, text]));
  return join('spoken', `${said.digest('hex').slice(0, 24)}.raw`);
}

function wantedIn(tongue: Tongue, nets: Nets): ClipRequest[] {
  if (nets === 'first') return firstIn(tongue);
  return tongue === 'en' ? [] : moreIn(tongue);
}

function firstIn(tongue: Tongue): ClipRequest[] {
  const chance = new SeededRandom(tongue.charCodeAt(0) * 256 + tongue.charCodeAt(1));
  const { listening, saying } = PHRASES[tongue];
  const unseen = tongue === 'en' ? UNSEEN_SPEAKERS.en : UNSEEN_SPEAKERS.other;
  const by = (listens: boolean, count: number, text: string): ClipRequest[] =>
    Array.from({ length: count }, () => ({ tongue, listens, text, speaker: unseenSpeaker(tongue, chance) }));
  const known = tongue === 'en' ? STOCK_SPEAKERS : [];
  return [
    ...listening.flatMap((text) => known.map((speaker) => ({ tongue, listens: true, text, speaker }))),
    ...saying.flatMap((text, at) =>
      known
        .filter((_, which) => (which + at) % 2 === 0)
        .map((speaker) => ({ tongue, listens: false, text, speaker })),
    ),
    ...listening.flatMap((text) => by(true, unseen.listening, text)),
    ...saying.flatMap((text) => by(false, unseen.saying, text)),
  ];
}

function moreIn(tongue: Foreign): ClipRequest[] {
  const chance = new SeededRandom(tongue.charCodeAt(0) * 256 + tongue.charCodeAt(1) + 1);
  const all = (kind: keyof Phrases) => [...PHRASES[tongue][kind], ...MORE_PHRASES[tongue][kind]];
  const by = (listens: boolean, count: number, text: string): ClipRequest[] =>
    Array.from({ length: count }, () => ({
      tongue,
      listens,
      text,
      speaker: unseenSpeaker(tongue, chance, true),
    }));
  return [
    ...all('listening').flatMap((text) => by(true, UNSEEN_SPEAKERS.more.listening, text)),
    ...all('saying').flatMap((text) => by(false, UNSEEN_SPEAKERS.more.saying, text)),
    ...triedIn(tongue),
  ];
}

/**
 * Returns clips of the voices with which settings were tried first, without the phrases that may interrupt in the
 * part `elsewhere`.
 */
function triedIn(tongue: Foreign): ClipRequest[] {
  const signs = OTHER_LANGUAGES.find(({ language }) => language === tongue)?.listening ?? [];
  const by = (listens: boolean, texts: readonly string[], speeds: readonly number[]): ClipRequest[] =>
    [...unseenSpeakersOf(tongue).values()].flatMap((voice) =>
      texts.flatMap((text) =>
        speeds.map((speed) => {
          const manner = { ...voice.manner, speed };
          return { tongue, listens, text, speaker: speakerOf({ ...voice, manner }) };
        }),
      ),
    );
  return [
    ...by(true, [...signs, ...MORE[tongue].listening], UNSEEN_SPEAKER_SPEEDS),
    ...by(false, MORE[tongue].saying, [1]),
  ];
}

function known(clip: Recorded): Recorded[] {
  if (OPENS_LISTENING.test(clip.text)) return [];
  return beginningsOf(clip, MAY_LISTEN.test(clip.text) ? 1 : BEGINNINGS);
}

async function speak(folder: string, wanted: readonly ClipRequest[]): Promise<void> {
  const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(folder) });
  // The engine alone does not keep the process alive.
  const awake = setInterval(() => {}, 60_000);
  const queue = wanted.values();
  const work = async (): Promise<void> => {
    for (const one of queue) {
      const { text, speaker } = one;
      const options = { voice: speaker.voice, rate: LINE_RATE, format: 'pcm16' } as const;
      const bytes = Uint8Array.from(await engine.submit(synthesizeJob, options, Buffer.from(text)).result());
      const samples = new Int16Array(bytes.buffer, 0, bytes.byteLength >> 1);
      const silent = samples.length === 0 || levelOf(samples) <= SILENT_DBFS;
      const named = { path: speaker.styles.join('+'), text, kind: '' };
      write(join(folder, fileOf(one)), silent ? null : atVoiceLevel(clipOf(named, samples)));
    }
  };
  try {
    await engine.prepared();
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    clearInterval(awake);
    engine.destroy();
  }
}
