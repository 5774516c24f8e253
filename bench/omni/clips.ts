/** The sounds from which signs of listening are learnt (learn_listening.py): of the development half alone, so that nobody who
 * learns has heard the other. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Engine, speechSettings, synthesizeJob } from '../../src/engine/index.ts';
import { Models } from '../../src/platform/models/index.ts';
import { beginningsOf } from './beginnings.ts';
import { Corpus, type Recorded, SAID_ALONE, SILENT_DBFS } from './corpus.ts';
import { PHRASES, type Tongue } from './phrases.ts';
import { atVoiceLevel, type Clip, clipOf, levelOf, RATE } from './sound.ts';
import { Chance, type Speaker, STOCK_SPEAKERS, stranger } from './speakers.ts';

const FOLDER = join('build-bench', 'omni-clips');
/** A recording's later words may be signs of listening too. */
const MAY_LISTEN = /\b(yes|yeah|yep|okay|ok|right|sure|alright|good|great|mm|mhm|uh|um|oh|ah|hm+|well|so)\b/i;
const OPENS_LISTENING = new RegExp(`^\\W*${MAY_LISTEN.source}`, 'i');
/** Of each recording; a long one would outweigh many speakers. */
const BEGINNINGS = 6;
/** How many strangers say each phrase. */
const STRANGERS = { en: { listening: 40, saying: 12 }, other: { listening: 20, saying: 8 } } as const;
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
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const lines: string[] = [];
  const put = (clip: Clip, known: Omit<Learnt, 'text' | 'file'>): void => {
    const file = `${lines.length}.raw`;
    const samples = Int16Array.from(clip.samples.subarray(0, LONGEST));
    writeFileSync(join(FOLDER, file), Buffer.from(samples.buffer));
    lines.push(JSON.stringify({ ...known, text: clip.text, file } satisfies Learnt));
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
    for (let from = 0; from < wanted.length; from += BY_ONE_ENGINE) {
      const some = wanted.slice(from, from + BY_ONE_ENGINE);
      console.log(`${tongue}: ${from} of ${wanted.length}`);
      for (const [at, clip] of (await spoken(some)).entries()) {
        const { listens, speaker } = some[at] as Wanted;
        const kind = `generated ${listens ? 'listening' : 'saying'}`;
        if (clip !== null) put(clip, { tongue, kind, who: speaker.styles });
      }
    }
  }
  writeFileSync(join(FOLDER, 'clips.jsonl'), `${lines.join('\n')}\n`);
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

/** In the order in which they are wanted; null where a voice failed on a word that stands alone. */
async function spoken(wanted: readonly Wanted[]): Promise<(Clip | null)[]> {
  const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(FOLDER) });
  // An engine alone keeps no process alive.
  const awake = setInterval(() => {}, 60_000);
  const clips: (Clip | null)[] = [];
  const queue = wanted.entries();
  const work = async (): Promise<void> => {
    for (const [at, { text, speaker }] of queue) {
      const options = { voice: speaker.voice, rate: RATE, format: 'pcm16' } as const;
      const bytes = Uint8Array.from(await engine.submit(synthesizeJob, options, Buffer.from(text)).result());
      const samples = new Int16Array(bytes.buffer, 0, bytes.byteLength >> 1);
      const silent = samples.length === 0 || levelOf(samples) <= SILENT_DBFS;
      clips[at] = silent
        ? null
        : atVoiceLevel(clipOf({ path: speaker.styles.join('+'), text, kind: '' }, samples));
    }
  };
  try {
    await engine.prepared();
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    clearInterval(awake);
    engine.destroy();
  }
  return clips;
}
