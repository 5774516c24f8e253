import type { RecognizedWord, SpeakerEmbedding } from '../contract.ts';
import type { JobRequest } from '../request.ts';
import type { Segment, Transcript } from '../transcript.ts';
import { numeralsInWords } from './numerals.ts';
import type { StoredSpan } from './span-store.ts';
import { type SpeakerOptions, speakersOf } from './speakers.ts';

const TURN_PAUSE = 1.5;
const TURN_SECONDS = 30;
const SENTENCE_END = /[.!?…।]["'”’)\]]*$/;
const SENTENCE_PAUSE = 0.8;
const SENTENCE_SECONDS = 15;
/** These languages are transcribed without word times. */
const WITHOUT_WORDS = new Set(['nl']);

export interface Piece extends Segment {
  readonly language: string | null;
  readonly words: readonly RecognizedWord[];
}

interface AttributedVoice {
  readonly voice: SpeakerEmbedding;
  readonly speaker: string;
}

interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

/** Returns the overlap in seconds; a negative value is the distance. */
const shared = (a: TimeSpan, b: TimeSpan): number => Math.min(a.end, b.end) - Math.max(a.start, b.start);

function speakerOf(word: TimeSpan, heard: readonly AttributedVoice[]): string | null {
  let best: AttributedVoice | null = null;
  for (const one of heard) {
    if (!best || shared(one.voice, word) > shared(best.voice, word)) best = one;
  }
  return best?.speaker ?? null;
}

function mainSpeaker(heard: readonly AttributedVoice[]): string | null {
  const seconds = new Map<string, number>();
  for (const { speaker, voice } of heard)
    seconds.set(speaker, (seconds.get(speaker) ?? 0) + voice.end - voice.start);
  return [...seconds].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/**
 * A shorter run of another voice within a sentence belongs to the sentence's speaker, because word times are not more
 * exact. A run with a pause before and after it is a short turn ("Yes.") and stays.
 */
const TAKEN_OVER_SECONDS = 1.2;
const TURN_GAP = 0.3;

const endsSentence = (word: RecognizedWord, next: RecognizedWord | undefined): boolean =>
  next === undefined || SENTENCE_END.test(word.word) || next.start - word.end >= SENTENCE_PAUSE;

interface SpeakerRun {
  readonly speaker: string | null;
  readonly from: number;
  to: number;
}

function runsOf(speakers: readonly (string | null)[], from: number, to: number): SpeakerRun[] {
  const runs: SpeakerRun[] = [];
  for (let at = from; at < to; at += 1) {
    const last = runs.at(-1);
    const speaker = speakers[at] ?? null;
    if (last?.speaker === speaker) last.to = at + 1;
    else runs.push({ speaker, from: at, to: at + 1 });
  }
  return runs;
}

function settled(
  words: readonly RecognizedWord[],
  speakers: readonly (string | null)[],
): readonly (string | null)[] {
  const out = [...speakers];
  const secondsOf = ({ from, to }: SpeakerRun): number =>
    (words[to - 1] as RecognizedWord).end - (words[from] as RecognizedWord).start;
  const pauseBefore = (at: number): number => {
    const [before, word] = [words[at - 1], words[at]];
    return before && word ? word.start - before.end : Number.POSITIVE_INFINITY;
  };
  const standsAlone = ({ from, to }: SpeakerRun): boolean =>
    pauseBefore(from) >= TURN_GAP && pauseBefore(to) >= TURN_GAP;
  let from = 0;
  words.forEach((word, at) => {
    if (!endsSentence(word, words[at + 1])) return;
    const runs = runsOf(speakers, from, at + 1);
    const main = [...runs].sort((a, b) => secondsOf(b) - secondsOf(a))[0] as SpeakerRun;
    for (const run of runs)
      if (secondsOf(run) < TAKEN_OVER_SECONDS && !standsAlone(run)) out.fill(main.speaker, run.from, run.to);
    from = at + 1;
  });
  return out;
}

function piecesOf(span: StoredSpan, channel: number | null, heard: readonly AttributedVoice[]): Piece[] {
  const { start, end, text, language } = span;
  const whole = { channel, language, start, end, text, words: span.words };
  if (heard.length === 0) return [{ ...whole, speaker: null }];
  if (span.words.length === 0) return [{ ...whole, speaker: mainSpeaker(heard) }];
  const speakers = settled(
    span.words,
    span.words.map((word) => speakerOf(word, heard)),
  );
  if (speakers.every((speaker) => speaker === speakers[0]))
    return [{ ...whole, speaker: speakers[0] ?? null }];
  return runsOf(speakers, 0, speakers.length).map(({ speaker, from, to }) => {
    const words = span.words.slice(from, to);
    return {
      speaker,
      channel,
      language,
      start: (words[0] as RecognizedWord).start,
      end: (words.at(-1) as RecognizedWord).end,
      text: words.map(({ word }) => word).join(' '),
      words,
    };
  });
}

function turnsOf(pieces: readonly Piece[]): Piece[] {
  const turns: Piece[] = [];
  for (const piece of pieces) {
    const last = turns.at(-1);
    const goesOn =
      last !== undefined &&
      piece.speaker !== null &&
      last.speaker === piece.speaker &&
      last.language === piece.language &&
      last.channel === piece.channel &&
      piece.start - last.end < TURN_PAUSE &&
      piece.end - last.start < TURN_SECONDS;
    if (!goesOn) turns.push(piece);
    else {
      turns[turns.length - 1] = {
        ...last,
        end: piece.end,
        text: `${last.text} ${piece.text}`,
        words: [...last.words, ...piece.words],
      };
    }
  }
  return turns;
}

function sentencesOf(piece: Piece): Piece[] {
  const sentences: Piece[] = [];
  let from = 0;
  piece.words.forEach((word, at) => {
    const next = piece.words[at + 1];
    const first = piece.words[from] as RecognizedWord;
    const goesOn =
      next !== undefined &&
      !SENTENCE_END.test(word.word) &&
      next.start - word.end < SENTENCE_PAUSE &&
      next.end - first.start <= SENTENCE_SECONDS;
    if (goesOn) return;
    const words = piece.words.slice(from, at + 1);
    const text = words.map((one) => one.word).join(' ');
    sentences.push({ ...piece, start: first.start, end: word.end, text, words });
    from = at + 1;
  });
  return sentences.length > 0 ? sentences : [piece];
}

/** Channels have separate speakers, so the names are unique across channels. */
async function heardIn(
  spans: readonly StoredSpan[],
  channels: number,
  options: SpeakerOptions = {},
): Promise<ReadonlyMap<SpeakerEmbedding, string>> {
  const names = new Map<SpeakerEmbedding, string>();
  let named = 0;
  for (let channel = 0; channel < channels; channel += 1) {
    const voices = spans.filter((span) => span.channel === channel).flatMap((span) => span.voices);
    const speakers = await speakersOf(voices, options);
    voices.forEach((voice, at) => {
      names.set(voice, `speaker_${named + (speakers[at] as number) + 1}`);
    });
    named += new Set(speakers).size;
  }
  return names;
}

const byTime = (a: { start: number; end: number }, b: { start: number; end: number }): number =>
  a.start - b.start || a.end - b.end;

export async function sentencesBySpeaker(spans: readonly StoredSpan[]): Promise<readonly Piece[]> {
  const names = await heardIn(spans, 1);
  return spans
    .filter(({ text }) => text.trim() !== '')
    .flatMap((span) => piecesOf(span, null, namedIn(span, names)))
    .flatMap(sentencesOf)
    .sort(byTime);
}

const namedIn = (
  span: StoredSpan,
  names: ReadonlyMap<SpeakerEmbedding, string>,
): readonly AttributedVoice[] =>
  span.voices.flatMap((voice) => {
    const speaker = names.get(voice);
    return speaker === undefined ? [] : [{ voice, speaker }];
  });

export async function assemble(spans: readonly StoredSpan[], request: JobRequest): Promise<Transcript> {
  const channels = 1 + Math.max(0, ...spans.map(({ channel }) => channel));
  // The stated number of speakers covers the whole recording, so it says nothing about each of two channels.
  const reported = channels === 1 ? { speakers: request.speakers } : {};
  const names = request.diarize
    ? await heardIn(spans, channels, reported)
    : new Map<SpeakerEmbedding, string>();
  const pieces = spans
    .filter(({ text }) => text.trim() !== '')
    .flatMap((span) => piecesOf(span, request.channel ? span.channel : null, namedIn(span, names)))
    .sort(byTime);
  const joined = request.diarize ? turnsOf(pieces) : pieces.flatMap(sentencesOf).sort(byTime);
  const segments =
    request.numerals === 'words'
      ? joined.map((piece) => numeralsInWords(piece, piece.language ?? 'en'))
      : joined;
  const timed = segments.filter(({ language }) => !WITHOUT_WORDS.has(language ?? ''));
  return {
    text: segments.map(({ text }) => text.trim()).join(' '),
    words: timed.flatMap(({ words }) => words).sort(byTime),
    segments: segments.map(({ speaker, channel, start, end, text }) => ({
      speaker,
      channel,
      start,
      end,
      text: text.trim(),
    })),
  };
}
