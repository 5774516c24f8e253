import type { SimulatedCaller } from '../../src/apps/caller/index.ts';
import {
  agentSilent,
  SimulatedCaller as Connected,
  FRAME_MS,
  pause,
  pauseUntil,
  type SpeechClip,
} from '../../src/apps/caller/index.ts';
import { ANSWERS, FIRST_CLAUSE_WORDS, lengthOfAnswer } from '../harness/index.ts';
import type { ScriptedBrain } from './brain.ts';
import type { Corpus } from './corpus.ts';
import type { Program } from './program.ts';
import { questionSet, TURN_SECONDS } from './trial-sets.ts';

const AUDIBLE_DBFS = -45;
const DELAYS = [0, 200, 600];

export interface ResponseLatency {
  readonly clip: string;
  readonly delayMs: number;
  readonly wholeMs: number;
  readonly finalMs: number;
  readonly parts: Record<string, number>;
  /** The words of the answer's first clause; null for a model's own answer. */
  readonly words?: number | null;
  readonly turnSeconds?: number;
  readonly buffered?: readonly { readonly delayMs: number; readonly wholeMs: number }[];
}

export interface PrematureAnswer {
  readonly early: string;
}

export interface ResponseLatencies {
  readonly gaps: readonly ResponseLatency[];
  readonly early: number;
  readonly cutOff?: readonly string[];
  readonly unanswered: readonly string[];
}

/**
 * The latencies without the brain's delay: an answer would have come earlier by the delay, but not before the words
 * were final and the audio was delivered. The part of the delay that speculation hid is not subtracted again.
 */
export function withoutBrain(gaps: readonly ResponseLatency[]): number[] {
  const line = Math.min(...gaps.map(({ wholeMs, finalMs }) => wholeMs - finalMs));
  return gaps.map(({ wholeMs, finalMs, delayMs }) => Math.max(wholeMs - delayMs, finalMs + line));
}

export async function measureResponseLatency(
  program: Program,
  brain: ScriptedBrain | null,
  corpus: Corpus,
  count: number,
): Promise<ResponseLatencies> {
  const clips = questionSet(corpus, count);
  const caller = await Connected.connect(program.url, program.key, {
    persona: 'You take notes. We are open from nine to five. Parking is free behind the house.',
  });
  // A machine's first use of a voice prepares it, which is not measured.
  await program.speak('Hello.', 'en1');
  const gaps: ResponseLatency[] = [];
  const unanswered: string[] = [];
  const cutOff: string[] = [];
  for (const [at, clip] of clips.entries()) {
    const delayMs =
      brain === null ? 0 : (DELAYS[Math.floor(at / TURN_SECONDS.length) % DELAYS.length] as number);
    if (brain !== null) {
      brain.delayMs = delayMs;
      // The answers shift from round to round, so that lengths of answer and of turn combine freely.
      brain.answer = ANSWERS[(at + Math.floor(at / FIRST_CLAUSE_WORDS.length)) % ANSWERS.length]!.text;
    }
    const gap = await ask(caller, clip, delayMs);
    if (gap === null) unanswered.push(clip.path);
    else if ('early' in gap) cutOff.push(gap.early);
    else gaps.push(gap);
    caller.control({ type: 'interrupt' });
    await agentSilent(caller, 300);
  }
  await caller.hangUp();
  return { gaps, early: cutOff.length, cutOff, unanswered };
}

/**
 * Plays a question and returns the time until the agent is audible, or null for never. The search starts at the first
 * word, so that an agent that talks already at the end of the question is not taken for a fast one. After such an
 * answer the function waits for the answer to the rest, so that the next question does not overlap it.
 */
export async function ask(
  caller: SimulatedCaller,
  clip: SpeechClip,
  delayMs: number,
): Promise<ResponseLatency | PrematureAnswer | null> {
  const began = await caller.say(clip.samples);
  const end = began + clip.endMs;
  const sound = await firstAudioMs(caller, began, end + 6_000);
  if (sound === null) return null;
  await pause(60 + Math.max(...caller.buffered.map((playout) => playout.delayMs)));
  const turn = caller.controls.find(({ at, message }) => at >= began && message.event === 'turn')?.message;
  const final = caller.transcripts.find(({ at, role, final }) => at >= began && role === 'user' && final);
  const answer = caller.transcripts.find(({ at, role }) => at >= began && role !== 'user');
  if (sound < end) {
    await pauseUntil(end);
    await agentSilent(caller, 60);
    await firstAudioMs(caller, performance.now(), performance.now() + 2_000);
    return {
      early: `${clip.path}: ${Math.round(end - sound)} ms before its end, “${final?.text ?? ''}”`,
    };
  }
  return {
    clip: clip.path,
    delayMs,
    wholeMs: sound - end,
    finalMs: final === undefined ? sound - end : final.at - end,
    words: answer === undefined ? null : lengthOfAnswer(answer.text),
    turnSeconds: (clip.endMs - clip.startMs) / 1000,
    parts: (turn?.latency_ms as Record<string, number> | undefined) ?? {},
    buffered: caller.buffered.flatMap((playout) => {
      const at = playout.firstSound(began + FRAME_MS, AUDIBLE_DBFS);
      return at === null ? [] : [{ delayMs: playout.delayMs, wholeMs: at - end }];
    }),
  };
}

export async function firstAudioMs(
  caller: SimulatedCaller,
  from: number,
  until: number,
): Promise<number | null> {
  while (performance.now() < until) {
    const sound = caller.playout.firstSound(from + FRAME_MS, AUDIBLE_DBFS);
    if (sound !== null) return sound;
    await pause(10);
  }
  return null;
}
