import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wavHeader } from '../../src/media/codec/index.ts';
import type { Transcript } from '../../src/speech/transcription/transcript.ts';
import { overTelephone, readClip, speechBounds } from '../hear/clips.ts';
import { diarizationErrors, type PyannoteErrors } from './diarization-errors.ts';
import { transcriptsOf } from './transcriptions.ts';

const SPEECH = join(process.cwd(), '../shared/speech');
const PAUSE_SECONDS = 0.5;
const TURNS_EACH = 4;
const STEP_SECONDS = 0.01;

export interface Mixture {
  readonly kind: MixtureKind;
  readonly people: number;
  readonly narrow: boolean;
  readonly found: number;
  /** Seconds of speech in any segment, and in a segment of the wrong speaker. */
  readonly speech: number;
  readonly wrong: number;
  /** Seconds of short answers, and of those that are attributed to the asker. */
  readonly short: number;
  readonly lost: number;
  /** The errors by pyannote.metrics, of this server and of the peer; null where they are not installed. */
  readonly errors: PyannoteErrors | null;
  readonly peerErrors: PyannoteErrors | null;
}

/** `told` is a mixture of two people whose job names the number of speakers. */
export type MixtureKind = 'turns' | 'short' | 'told';

export interface Conversation {
  readonly name: string;
  readonly people: number;
  readonly found: number;
  readonly turns: number;
}

export interface SpeakersData {
  readonly mixtures: readonly Mixture[];
  readonly conversations: readonly Conversation[];
}

/** Real conversations have a known number of people, without the times of their turns. */
const CONVERSATIONS = [
  { name: 'azure_samples/katiesteve_mono.wav', people: 2 },
  { name: 'nvidia_riva/interview-with-bill.wav', people: 2 },
] as const;
const SIZES = [1, 2, 2, 3, 3, 4];
const SHORT_SECONDS = 2;
const FOLDER = join(process.cwd(), 'build-bench/jobs/diarization');

interface Clip {
  readonly path: string;
  readonly speaker: string;
  readonly seconds: number;
}

export interface Spoken {
  readonly speaker: string;
  readonly start: number;
  readonly end: number;
}

interface MixedRecording {
  readonly kind: MixtureKind;
  readonly narrow: boolean;
  readonly wav: Buffer;
  readonly spoken: readonly Spoken[];
}

interface Person {
  readonly long: readonly Clip[];
  readonly short: readonly Clip[];
}

/**
 * The people are of one collection, all recorded alike, so that only the voice separates them: those with enough
 * speech, by name. No limit of the diarization was chosen by these recordings.
 */
function people(): readonly Person[] {
  const clips = readFileSync(join(SPEECH, 'manifest.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Clip)
    .filter(({ path }) => path.startsWith('an4/'));
  const bySpeaker = new Map<string, Clip[]>();
  for (const clip of clips) bySpeaker.set(clip.speaker, [...(bySpeaker.get(clip.speaker) ?? []), clip]);
  return [...bySpeaker]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, own]) => ({
      long: own.filter(({ seconds }) => seconds >= 2.5),
      short: own.filter(({ seconds }) => seconds <= SHORT_SECONDS),
    }))
    .filter(({ long }) => long.length >= TURNS_EACH);
}

const inTurn = (speakers: readonly Person[]): readonly Clip[] =>
  Array.from({ length: TURNS_EACH }, (_, turn) => speakers.map(({ long }) => long[turn] as Clip)).flat();

const withShortAnswers = (one: Person, other: Person): readonly Clip[] => [
  other.long[0] as Clip,
  ...one.long
    .slice(0, TURNS_EACH)
    .flatMap((clip, at) => [clip, other.short[at % other.short.length] as Clip]),
];

function mix(kind: MixtureKind, turns: readonly Clip[], narrow: boolean): MixedRecording {
  const rate = narrow ? 8000 : 16_000;
  const pause = Buffer.alloc(PAUSE_SECONDS * rate * 2);
  const parts: Buffer[] = [pause];
  const spoken: Spoken[] = [];
  let at = PAUSE_SECONDS;
  for (const clip of turns) {
    const path = join(SPEECH, clip.path);
    const pcm = narrow ? overTelephone(path) : readClip(path, rate);
    const seconds = pcm.length / 2 / rate;
    const bounds = speechBounds(pcm, rate);
    spoken.push({ speaker: clip.speaker, start: at + bounds.start, end: at + bounds.end });
    parts.push(pcm, pause);
    at += seconds + PAUSE_SECONDS;
  }
  const pcm = Buffer.concat(parts);
  return {
    kind,
    narrow,
    wav: Buffer.concat([wavHeader({ sampleRate: rate, channels: 1, sample: 's16' }, pcm.length), pcm]),
    spoken,
  };
}

function overlaps(
  spoken: readonly Spoken[],
  segments: Transcript['segments'],
): Map<string, Map<string, number>> {
  const together = new Map<string, Map<string, number>>();
  for (const { speaker, start, end } of spoken) {
    for (let at = start; at < end; at += STEP_SECONDS) {
      const name = segments.find((segment) => segment.start <= at && at < segment.end)?.speaker;
      if (!name) continue;
      const names = together.get(speaker) ?? new Map<string, number>();
      names.set(name, (names.get(name) ?? 0) + STEP_SECONDS);
      together.set(speaker, names);
    }
  }
  return together;
}

/** Returns the most seconds that can be right with one person per label. */
function mostRight(left: readonly ReadonlyMap<string, number>[], taken: ReadonlySet<string>): number {
  const [first, ...others] = left;
  if (!first) return 0;
  let best = mostRight(others, taken);
  for (const [name, seconds] of first) {
    if (!taken.has(name)) best = Math.max(best, seconds + mostRight(others, new Set([...taken, name])));
  }
  return best;
}

function judged(
  { kind, spoken, narrow }: MixedRecording,
  { segments }: Transcript,
): Omit<Mixture, 'errors' | 'peerErrors'> {
  const bySpeaker = overlaps(spoken, segments);
  const together = [...bySpeaker.values()];
  const speech = together.flatMap((names) => [...names.values()]).reduce((sum, one) => sum + one, 0);
  return {
    kind,
    ...shortAnswers(kind, spoken, segments),
    people: new Set(spoken.map(({ speaker }) => speaker)).size,
    narrow,
    found: namesOf(segments).size,
    speech,
    wrong: speech - mostRight(together, new Set()),
  };
}

const namesOf = (segments: Transcript['segments']): Set<string | null | undefined> =>
  new Set(segments.map(({ speaker }) => speaker));

function shortAnswers(
  kind: MixtureKind,
  spoken: readonly Spoken[],
  segments: Transcript['segments'],
): { short: number; lost: number } {
  if (kind !== 'short') return { short: 0, lost: 0 };
  const asker = spoken[1]?.speaker;
  const names = [...(overlaps(spoken, segments).get(asker as string) ?? [])].sort(([, a], [, b]) => b - a);
  const answers = overlaps(
    spoken.slice(1).filter(({ speaker }) => speaker !== asker),
    segments,
  );
  const heard = [...answers.values()].flatMap((one) => [...one]);
  return {
    short: heard.reduce((sum, [, seconds]) => sum + seconds, 0),
    lost: heard.reduce((sum, [name, seconds]) => sum + (name === names[0]?.[0] ? seconds : 0), 0),
  };
}

function mixtures(most: number): readonly MixedRecording[] {
  const all = people();
  const made: MixedRecording[] = [];
  for (const narrow of [false, true]) {
    let next = 0;
    for (const size of SIZES.slice(0, most)) {
      const speakers = Array.from({ length: size }, (_, at) => all[(next + at) % all.length] as Person);
      next += size;
      made.push(mix('turns', inTurn(speakers), narrow));
    }
    const terse = all.filter(({ short }) => short.length > 0);
    for (let at = 0; at + 1 < terse.length && at / 2 < most; at += 2) {
      made.push(mix('short', withShortAnswers(terse[at] as Person, terse[at + 1] as Person), narrow));
    }
    for (let at = 0; at + 1 < all.length && at / 2 < most; at += 2) {
      made.push(mix('told', inTurn(all.slice(at, at + 2)), narrow));
    }
  }
  return made;
}

const named = (segments: Transcript['segments']): readonly Spoken[] =>
  segments.map(({ speaker, start, end }) => ({ speaker: speaker ?? 'nobody', start, end }));

export async function measureSpeakers(most: number): Promise<SpeakersData> {
  const made = mixtures(most);
  const files = [
    ...made.filter(({ kind }) => kind !== 'told').map(({ wav }) => wav),
    ...CONVERSATIONS.map(({ name }) => readFileSync(join(SPEECH, name))),
  ];
  const untold = [...(await transcriptsOf(files, { diarize: true }))];
  const pairs = made.filter(({ kind }) => kind === 'told').map(({ wav }) => wav);
  const reported = [...(await transcriptsOf(pairs, { diarize: true, speakers: 2 }))];
  const transcripts = [
    ...made.map(({ kind }) => (kind === 'told' ? reported : untold).shift() as Transcript),
    ...untold,
  ];
  mkdirSync(FOLDER, { recursive: true });
  for (const [at, { wav }] of made.entries()) writeFileSync(join(FOLDER, `${at}.wav`), wav);
  const errors = await diarizationErrors(
    FOLDER,
    made.map(({ spoken }, at) => ({
      reference: spoken,
      hypothesis: named((transcripts[at] as Transcript).segments),
    })),
  );
  return {
    mixtures: made.map((one, at) => ({
      ...judged(one, transcripts[at] as Transcript),
      errors: errors.own[at] ?? null,
      peerErrors: errors.peer[at] ?? null,
    })),
    conversations: CONVERSATIONS.map((conversation, at) => {
      const { segments } = transcripts[made.length + at] as Transcript;
      const turns = segments.filter(({ speaker }, index) => speaker !== segments[index - 1]?.speaker).length;
      return { ...conversation, found: namesOf(segments).size, turns };
    }),
  };
}
