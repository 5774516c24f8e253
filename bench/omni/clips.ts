/** The sounds from which signs of listening are learnt (models/recipes/listening): of the development half alone, so that nobody who
 * learns has heard the other. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atVoiceLevel, Chance, type Clip, clipOf, levelOf, RATE } from '../../src/caller/index.ts';
import { Engine, speechSettings, synthesizeJob } from '../../src/engine/index.ts';
import { Models } from '../../src/platform/models/index.ts';
import { beginningsOf } from './beginnings.ts';
import { Corpus, type Recorded, SAID_ALONE, SILENT_DBFS } from './corpus.ts';
import { PHRASES, type Tongue } from './phrases.ts';
import { type Speaker, STOCK_SPEAKERS, stranger } from './speakers.ts';

const FOLDER = join('build-bench', 'omni-clips');
/** A recording's later words may be signs of listening too. */
const MAY_LISTEN = /\b(yes|yeah|yep|okay|ok|right|sure|alright|good|great|mm|mhm|uh|um|oh|ah|hm+|well|so)\b/i;
const OPENS_LISTENING = new RegExp(`^\\W*${MAY_LISTEN.source}`, 'i');
/** Of each recording; a long one would outweigh many speakers. */
const BEGINNINGS = 6;
/** How many strangers say each phrase. */
const STRANGERS = { en: { listening: 10, saying: 4 }, other: { listening: 8, saying: 3 } } as const;
/** More keep no more of the machine busy. */
const AT_ONCE = 3;
/** An engine keeps what it knows of each voice, some megabytes. */
const BY_ONE_ENGINE = 500;
/** Longer than any look. */
const LONGEST = 2 * RATE;

interface Wanted {
  readonly tongue: Tongue;
  readonly listens: boolean;
  readonly text: string;
  readonly speaker: Speaker;
}

/** A line of clips.jsonl. */
interface Learnt {
  readonly tongue: Tongue;
  readonly kind: string;
  /** Styles of a voice, or the one who is heard. */
  readonly who: readonly string[];
  readonly text: string;
  readonly file: string;
}

export async function writeClips(tongues: readonly Tongue[] = ['en', 'es', 'fr', 'hi']): Promise<void> {
  mkdirSync(join(FOLDER, 'spoken'), { recursive: true });
  const lines: string[] = [];
  const note = (known: Learnt): void => void lines.push(JSON.stringify(known));
  const put = (clip: Clip, known: Omit<Learnt, 'text' | 'file'>): void => {
    const file = `${lines.length}.raw`;
    write(file, clip);
    note({ ...known, text: clip.text, file });
  };
  const corpus = new Corpus('development');
  for (const clip of corpus.listening())
    put(clip, { tongue: 'en', kind: 'real listening', who: [clip.group] });
  // What stands behind voices that were made in silence.
  for (const clip of corpus.noises().filter(({ path }) => path.endsWith('-30')))
    put(clip, { tongue: 'en', kind: 'noise', who: [clip.path] });
  for (const tongue of tongues) {
    for (const clip of corpus.speech(({ text }) => !SAID_ALONE.test(text), 10_000, tongue)) {
      for (const piece of known(clip)) put(piece, { tongue, kind: 'real saying', who: [clip.group] });
    }
    const wanted = wantedIn(tongue);
    const missing = wanted.filter((one) => !existsSync(join(FOLDER, fileOf(one))));
    for (let from = 0; from < missing.length; from += BY_ONE_ENGINE) {
      console.log(`${tongue}: ${from} of ${missing.length}`);
      await speak(missing.slice(from, from + BY_ONE_ENGINE));
    }
    for (const one of wanted) {
      const file = fileOf(one);
      // A voice that fails on a word that stands alone gives nothing.
      if (statSync(join(FOLDER, file)).size === 0) continue;
      const kind = `generated ${one.listens ? 'listening' : 'saying'}`;
      note({ tongue, kind, who: one.speaker.styles, text: one.text, file });
    }
  }
  writeFileSync(join(FOLDER, 'clips.jsonl'), `${lines.join('\n')}\n`);
}

function write(file: string, clip: Clip | null): void {
  const samples = Int16Array.from(clip?.samples.subarray(0, LONGEST) ?? []);
  writeFileSync(join(FOLDER, file), Buffer.from(samples.buffer));
}

/** What was said once needn't be said again: the same words in the same voice are the same samples, until Speak's models change;
 * then the folder is to be removed. */
function fileOf({ text, speaker }: Wanted): string {
  const said = createHash('sha256').update(JSON.stringify([speaker.voice, text]));
  return join('spoken', `${said.digest('hex').slice(0, 24)}.raw`);
}

function wantedIn(tongue: Tongue): Wanted[] {
  const chance = new Chance(tongue.charCodeAt(0) * 256 + tongue.charCodeAt(1));
  const { listening, saying } = PHRASES[tongue];
  const strangers = tongue === 'en' ? STRANGERS.en : STRANGERS.other;
  const by = (listens: boolean, count: number, text: string): Wanted[] =>
    Array.from({ length: count }, () => ({ tongue, listens, text, speaker: stranger(tongue, chance) }));
  const known = tongue === 'en' ? STOCK_SPEAKERS : [];
  return [
    ...listening.flatMap((text) => known.map((speaker) => ({ tongue, listens: true, text, speaker }))),
    ...saying.flatMap((text, at) =>
      known
        .filter((_, which) => (which + at) % 2 === 0)
        .map((speaker) => ({ tongue, listens: false, text, speaker })),
    ),
    ...listening.flatMap((text) => by(true, strangers.listening, text)),
    ...saying.flatMap((text) => by(false, strangers.saying, text)),
  ];
}

function known(clip: Recorded): Clip[] {
  if (OPENS_LISTENING.test(clip.text)) return [];
  return beginningsOf(clip, MAY_LISTEN.test(clip.text) ? 1 : BEGINNINGS);
}

async function speak(wanted: readonly Wanted[]): Promise<void> {
  const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(FOLDER) });
  // An engine alone keeps no process alive.
  const awake = setInterval(() => {}, 60_000);
  const queue = wanted.values();
  const work = async (): Promise<void> => {
    for (const one of queue) {
      const { text, speaker } = one;
      const options = { voice: speaker.voice, rate: RATE, format: 'pcm16' } as const;
      const bytes = Uint8Array.from(await engine.submit(synthesizeJob, options, Buffer.from(text)).result());
      const samples = new Int16Array(bytes.buffer, 0, bytes.byteLength >> 1);
      const silent = samples.length === 0 || levelOf(samples) <= SILENT_DBFS;
      const named = { path: speaker.styles.join('+'), text, kind: '' };
      write(fileOf(one), silent ? null : atVoiceLevel(clipOf(named, samples)));
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
