import type { Recognizer, Stretch } from '../contract.ts';
import type { SpooledAudio } from './spool.ts';

/** How much audio is in memory at a time, and how much is looked at to know the language. */
const BLOCK_SECONDS = 300;
const FIRST_SECONDS = 60;
/** A stretch that ends this near to the end of its block was cut by it. */
const CUT_MARGIN = 0.6;
const LEAD_IN = 0.3;

export interface Reading {
  readonly audio: SpooledAudio;
  readonly channel: number;
  /** Seconds: where an earlier try came to. */
  readonly from: number;
  /** Of the whole call; null until it was found. */
  readonly language: string | null;
  readonly vocabulary: readonly string[];
  readonly recognizer: Recognizer;
  readonly signal: AbortSignal;
}

const shifted = (stretch: Stretch, by: number): Stretch => ({
  ...stretch,
  start: stretch.start + by,
  end: stretch.end + by,
  words: stretch.words.map((word) => ({ ...word, start: word.start + by, end: word.end + by })),
});

/** The language of most of the speech. */
export function mainLanguage(stretches: readonly Stretch[]): string | null {
  const seconds = new Map<string, number>();
  for (const { language, start, end } of stretches) {
    seconds.set(language, (seconds.get(language) ?? 0) + end - start);
  }
  return [...seconds].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** Everything said in one channel from `from` on, in order, with times from the start of the file. A stretch that
 * a block's end cuts is read again at the beginning of the next block. */
export async function* stretchesOf(reading: Reading): AsyncGenerator<Stretch> {
  const { audio, channel, signal } = reading;
  let language = reading.language;
  for (let at = reading.from; at < audio.seconds; ) {
    signal.throwIfAborted();
    const to = Math.min(at + (language === null ? FIRST_SECONDS : BLOCK_SECONDS), audio.seconds);
    const pcm = await audio.read(channel, at, to);
    if (pcm.length === 0) return;
    const block = language === null ? inOneLanguage(pcm, reading) : read(pcm, reading, language);
    let held: Stretch | null = null;
    for await (const stretch of block) {
      if (held) yield held;
      held = shifted(stretch, at);
      language ??= stretch.language;
    }
    if (held && to < audio.seconds && to - held.end < CUT_MARGIN && held.start - LEAD_IN > at) {
      at = held.start - LEAD_IN;
    } else {
      if (held) yield held;
      at = to;
    }
  }
}

const read = (pcm: Buffer, { recognizer, vocabulary, signal }: Reading, language: string | null) =>
  recognizer.transcribe(pcm, { language, vocabulary, signal });

/** A call has one language: where its beginning was heard in several, most of it decides and the rest is read again. */
async function* inOneLanguage(pcm: Buffer, reading: Reading): AsyncGenerator<Stretch> {
  const found: Stretch[] = [];
  for await (const stretch of read(pcm, reading, null)) found.push(stretch);
  const language = mainLanguage(found);
  if (found.every((stretch) => stretch.language === language)) yield* found;
  else yield* read(pcm, reading, language);
}
