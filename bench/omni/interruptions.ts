import {
  agentHasSpoken,
  agentSilent,
  agentStartsSpeaking,
  type EchoPath,
  heardSince,
  LINE_RATE,
  LONG_ANSWER,
  pauseUntil,
  SimulatedCaller,
  type SpeechClip,
  speechSpan,
} from '../../src/apps/caller/index.ts';
import type { ScriptedBrain } from './brain.ts';
import type { Program } from './program.ts';
import { type Ducking, duckedAt, duckingsSince, joined, type Match, match } from './reference.ts';

const MARGINS_DB = [20, 25];
const REFERENCE_MS = 7_000;
/** `#` is the number of the answer, and is in each clause. */
export const OWN_WORDS = LONG_ANSWER.replaceAll('On day', 'In week # on day').replaceAll(
  'you may',
  'in week # you may',
);

export const KNOWN_MS = 100;

export interface Interruption {
  readonly clip: string;
  /** The agent was not speaking when it should be interrupted, so this is no trial. */
  readonly silent?: true;
  readonly duckedMs: number | null;
  readonly cutMs: number | null;
  /** The server's report of the played audio, and the client's own. */
  readonly playedMs: number | null;
  /** The value is below `KNOWN_MS` when the agent's speech was not recognized by its samples. */
  readonly heardMs: number;
  readonly duckings?: readonly Ducking[] | null;
  readonly margins?: readonly {
    readonly db: number;
    readonly duckedMs: number | null;
    readonly cutMs: number | null;
  }[];
  readonly buffered?: readonly {
    readonly delayMs: number;
    readonly duckedMs: number | null;
    readonly heardMs: number;
  }[];
}

export interface Line {
  readonly echo?: EchoPath;
  readonly millionths?: number;
}

/**
 * With `made` each answer has words of its own, so that its voice is generated and not served from a cache. The
 * undisturbed answer is unknown then, and so is the time of a ducking.
 */
export async function measureInterruptions(
  program: Program,
  brain: ScriptedBrain,
  clips: readonly SpeechClip[],
  { echo, millionths = 0, made = false }: Line & { readonly made?: boolean } = {},
): Promise<Interruption[]> {
  brain.answer = made ? OWN_WORDS : LONG_ANSWER;
  brain.delayMs = 0;
  const caller = await SimulatedCaller.connect(program.url, program.key, {}, { millionths });
  const reference = made ? null : await learnAnswer(caller, clips[0] as SpeechClip);
  caller.echo = echo ?? null;
  const results: Interruption[] = [];
  for (const [at, clip] of clips.entries()) {
    const from = await speechBegins(caller, clips[at % 3] as SpeechClip);
    const speaks = from !== null && (await agentHasSpoken(caller, from, 1_100 + (at % 5) * 130));
    if (speaks) results.push(await interrupt(caller, clip, from, reference));
    else results.push(await notSpeaking(caller, clip));
  }
  await caller.hangUp();
  return results;
}

async function notSpeaking(caller: SimulatedCaller, { path: clip }: SpeechClip): Promise<Interruption> {
  caller.control({ type: 'interrupt' });
  await agentSilent(caller, 1_000);
  return { clip, silent: true, duckedMs: null, cutMs: null, playedMs: null, heardMs: 0 };
}

async function learnAnswer(caller: SimulatedCaller, question: SpeechClip): Promise<Int16Array> {
  const from = await speechBegins(caller, question);
  if (from === null || !(await agentHasSpoken(caller, from, REFERENCE_MS)))
    throw new Error('the agent did not answer');
  const reference = joined(heardSince(caller, from));
  caller.control({ type: 'interrupt' });
  await agentSilent(caller, 300);
  return reference;
}

async function speechBegins(caller: SimulatedCaller, question: SpeechClip): Promise<number | null> {
  const from = caller.playout.heard.length;
  const begun = await agentStartsSpeaking(caller, from, 2_500);
  if (begun !== null) return begun;
  await caller.say(question.samples);
  return await agentStartsSpeaking(caller, from, 6_000);
}

async function interrupt(
  caller: SimulatedCaller,
  clip: SpeechClip,
  from: number,
  reference: Int16Array | null,
): Promise<Interruption> {
  const began = await caller.say(clip.samples);
  const isCut = ({ event }: { event: string }) => event === 'barge_in';
  const cut = await caller.next(isCut, began, began + clip.endMs + 1_500);
  const at = caller.controls.find((control) => control.message === cut)?.at ?? null;
  const playedMs = (cut?.played_ms as number | undefined) ?? null;
  const reported = { clip: clip.path, cutMs: at === null ? null : at - began - clip.startMs, playedMs };
  const heard = reference === null ? UNKNOWN : hearing(caller, { clip, from, began, at }, reference);
  if (cut === null) {
    caller.control({ type: 'interrupt' });
    await agentSilent(caller, 300);
  }
  await pauseUntil(began + clip.endMs);
  return { ...reported, ...heard };
}

const UNKNOWN = { duckedMs: null, heardMs: 0 };

interface Spoken {
  readonly clip: SpeechClip;
  readonly from: number;
  readonly began: number;
  readonly at: number | null;
}

function hearing(caller: SimulatedCaller, { clip, from, began, at }: Spoken, reference: Int16Array) {
  const onset = began + clip.startMs;
  const spokeAt = caller.playout.heard[from]?.at ?? began;
  const heard = match(heardSince(caller, from), reference);
  const buffered = caller.buffered.map((playout) => {
    const since = playout.heard.filter((piece) => piece.at >= spokeAt);
    const found = match(since, reference);
    return { delayMs: playout.delayMs, duckedMs: loweredAfter(found, onset, at), heardMs: fullMs(found) };
  });
  return {
    duckedMs: loweredAfter(heard, onset, at),
    heardMs: fullMs(heard),
    margins: MARGINS_DB.map((db) => {
      const first = began + Math.min(clip.startMs, speechSpan(clip.samples, db).startMs);
      return { db, duckedMs: loweredAfter(heard, first, at), cutMs: at === null ? null : at - first };
    }),
    duckings: duckingsSince(heard, began, onset),
    buffered,
  };
}

const fullMs = ({ fullSamples }: Match): number => (fullSamples * 1000) / LINE_RATE;

/** Returns the time from the caller's first audio until the agent was ducked or interrupted; null for neither. */
function loweredAfter(heard: Match, onset: number, cutAt: number | null): number | null {
  const ducked = duckedAt(heard, onset, cutAt ?? Infinity);
  return cutAt === null && ducked === null ? null : Math.min(ducked ?? Infinity, cutAt ?? Infinity) - onset;
}
