import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wavHeader } from '../../src/media/codec/index.ts';
import type { Transcript } from '../../src/speech/transcription/transcript.ts';
import { readClip } from '../hear/clips.ts';
import { transcriptsOf } from './transcriptions.ts';

const SPEECH = join(process.cwd(), '../shared/speech');
const PAUSE_SECONDS = 0.5;
const TURNS_EACH = 4;
const STEP_SECONDS = 0.01;

export interface Mixture {
  readonly people: number;
  readonly narrow: boolean;
  readonly found: number;
  /** Seconds of speech that stand in somebody's segment, and those in the wrong one's. */
  readonly speech: number;
  readonly wrong: number;
}

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

/** Real conversations: how many people they have is known, not who speaks when. */
const CONVERSATIONS = [
  { name: 'azure_samples/katiesteve_mono.wav', people: 2 },
  { name: 'nvidia_riva/interview-with-bill.wav', people: 2 },
] as const;
const SIZES = [1, 2, 2, 3, 3, 4];

interface Clip {
  readonly path: string;
  readonly speaker: string;
  readonly seconds: number;
}

interface Spoken {
  readonly speaker: string;
  readonly start: number;
  readonly end: number;
}

/** People of one collection, all recorded alike, so that it is the voice that tells them apart: those with enough to
 * say, in the order of their names. */
function people(): readonly (readonly Clip[])[] {
  const clips = readFileSync(join(SPEECH, 'manifest.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Clip)
    .filter(({ path, seconds }) => path.startsWith('an4/') && seconds >= 2.5);
  const bySpeaker = new Map<string, Clip[]>();
  for (const clip of clips) bySpeaker.set(clip.speaker, [...(bySpeaker.get(clip.speaker) ?? []), clip]);
  return [...bySpeaker.values()]
    .filter((own) => own.length >= TURNS_EACH)
    .sort((a, b) => ((a[0]?.speaker ?? '') < (b[0]?.speaker ?? '') ? -1 : 1));
}

function mix(
  speakers: readonly (readonly Clip[])[],
  rate: number,
): { wav: Buffer; spoken: readonly Spoken[] } {
  const pause = Buffer.alloc(PAUSE_SECONDS * rate * 2);
  const parts: Buffer[] = [pause];
  const spoken: Spoken[] = [];
  let at = PAUSE_SECONDS;
  for (let turn = 0; turn < TURNS_EACH; turn += 1) {
    for (const own of speakers) {
      const clip = own[turn] as Clip;
      const pcm = readClip(join(SPEECH, clip.path), rate);
      const seconds = pcm.length / 2 / rate;
      spoken.push({ speaker: clip.speaker, start: at, end: at + seconds });
      parts.push(pcm, pause);
      at += seconds + PAUSE_SECONDS;
    }
  }
  const pcm = Buffer.concat(parts);
  return {
    wav: Buffer.concat([wavHeader({ sampleRate: rate, channels: 1, sample: 's16' }, pcm.length), pcm]),
    spoken,
  };
}

/** Seconds for which each person stands under each name. */
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

/** Most seconds that can be right where each name is one person's. */
function mostRight(left: readonly ReadonlyMap<string, number>[], taken: ReadonlySet<string>): number {
  const [first, ...others] = left;
  if (!first) return 0;
  let best = mostRight(others, taken);
  for (const [name, seconds] of first) {
    if (!taken.has(name)) best = Math.max(best, seconds + mostRight(others, new Set([...taken, name])));
  }
  return best;
}

function judged(spoken: readonly Spoken[], { segments }: Transcript, narrow: boolean): Mixture {
  const together = [...overlaps(spoken, segments).values()];
  const speech = together.flatMap((names) => [...names.values()]).reduce((sum, one) => sum + one, 0);
  return {
    people: new Set(spoken.map(({ speaker }) => speaker)).size,
    narrow,
    found: namesOf(segments).size,
    speech,
    wrong: speech - mostRight(together, new Set()),
  };
}

const namesOf = (segments: Transcript['segments']): Set<string | null | undefined> =>
  new Set(segments.map(({ speaker }) => speaker));

/** At most so many mixtures a band. */
export async function measureSpeakers(most: number): Promise<SpeakersData> {
  const all = people();
  const mixtures: { wav: Buffer; spoken: readonly Spoken[]; narrow: boolean }[] = [];
  for (const narrow of [false, true]) {
    let next = 0;
    for (const size of SIZES.slice(0, most)) {
      const speakers = Array.from(
        { length: size },
        (_, at) => all[(next + at) % all.length] as readonly Clip[],
      );
      next += size;
      mixtures.push({ ...mix(speakers, narrow ? 8000 : 16_000), narrow });
    }
  }
  const files = [
    ...mixtures.map(({ wav }) => wav),
    ...CONVERSATIONS.map(({ name }) => readFileSync(join(SPEECH, name))),
  ];
  const transcripts = await transcriptsOf(files, { diarize: true });
  return {
    mixtures: mixtures.map(({ spoken, narrow }, at) => judged(spoken, transcripts[at] as Transcript, narrow)),
    conversations: CONVERSATIONS.map((conversation, at) => {
      const { segments } = transcripts[mixtures.length + at] as Transcript;
      const turns = segments.filter(({ speaker }, index) => speaker !== segments[index - 1]?.speaker).length;
      return { ...conversation, found: namesOf(segments).size, turns };
    }),
  };
}
