import type { PlayoutGap } from '../../src/apps/caller/index.ts';
import {
  agentSilent,
  CallRefusedError,
  LINE_RATE,
  pause,
  SimulatedCaller,
  type SpeechClip,
} from '../../src/apps/caller/index.ts';
import { unheardAnswers } from '../harness/index.ts';
import type { ScriptedBrain } from './brain.ts';
import type { Corpus } from './corpus.ts';
import type { Program } from './program.ts';
import { ask, type ResponseLatency } from './response-latency.ts';
import { questionSet } from './trial-sets.ts';

export const NOTED =
  'All right, number # is noted, and I will tell my colleague of number #, who will call you back tomorrow.';

export const SPOKEN = 24;

export interface Level {
  readonly sessions: number;
  readonly seconds?: number;
  readonly gapsMs: readonly number[];
  readonly words?: readonly (number | null)[];
  readonly turnSeconds?: readonly number[];
  readonly early?: readonly string[];
  readonly unanswered: number;
  readonly gaveWay?: number;
  readonly refused: number;
  /** Lengths of the breaks in the agent's speech, within audio and in pauses, and the seconds of speech. */
  readonly breaksMs: readonly number[];
  readonly longerPausesMs: readonly number[];
  readonly buffered?: readonly { readonly delayMs: number; readonly breaksMs: readonly number[] }[];
  readonly spokenSeconds: number;
  readonly callerSeconds?: number;
  readonly cores: number;
}

export interface AgentVoice {
  readonly voice_id?: string;
  readonly voice_under_load?: string;
}

export async function measureSessions(
  program: Program,
  brain: ScriptedBrain,
  corpus: Corpus,
  sessions: number,
  seconds: number,
  agent: AgentVoice = {},
  leastAsked = 0,
): Promise<Level> {
  brain.sequence = unheardAnswers();
  brain.delayMs = 0;
  const clips = questionSet(corpus, SPOKEN);
  const cpu = await program.cpuSeconds();
  const began = performance.now();
  const until = began + seconds * 1000;
  const questions = dealt(clips, (asked) => performance.now() < until || asked < leastAsked);
  const talks = await Promise.all(
    Array.from({ length: sessions }, (_, at) => talk(program, questions, at, agent).catch(refused)),
  );
  const elapsed = (performance.now() - began) / 1000;
  const served = talks.filter((one) => one !== null);
  return {
    sessions,
    seconds: elapsed,
    gapsMs: served.flatMap(({ gaps }) => gaps.map(({ wholeMs }) => wholeMs)),
    words: served.flatMap(({ gaps }) => gaps.map(({ words }) => words ?? null)),
    turnSeconds: served.flatMap(({ gaps }) => gaps.map(({ turnSeconds }) => turnSeconds ?? 0)),
    early: served.flatMap(({ early }) => early),
    gaveWay: served.filter((one) => one.gaveWay).length,
    unanswered: served.reduce((sum, one) => sum + one.unanswered, 0),
    refused: talks.length - served.length,
    breaksMs: served.flatMap(({ breaks }) => inSound(breaks)),
    longerPausesMs: served.flatMap(({ breaks }) => breaks.filter((one) => !one.inSound).map(({ ms }) => ms)),
    buffered: (served[0]?.buffered ?? []).map(({ delayMs }, at) => ({
      delayMs,
      breaksMs: served.flatMap(({ buffered }) => inSound(buffered[at]?.breaks ?? [])),
    })),
    spokenSeconds: served.reduce((sum, one) => sum + one.spokenSeconds, 0),
    callerSeconds: served.reduce((sum, one) => sum + one.callerSeconds, 0),
    cores: ((await program.cpuSeconds()) - cpu) / elapsed,
  };
}

const inSound = (breaks: readonly PlayoutGap[]): number[] =>
  breaks.filter((one) => one.inSound).map(({ ms }) => ms);

function refused(error: unknown): null {
  if (error instanceof CallRefusedError) return null;
  throw error;
}

export const PERSONA = 'You take notes.';

export type Questions = () => SpeechClip | null;

export function dealt(clips: readonly SpeechClip[], more: (asked: number) => boolean): Questions {
  let asked = 0;
  return () => (more(asked) ? (clips[asked++ % clips.length] as SpeechClip) : null);
}

export async function talk(program: Program, questions: Questions, which: number, agent: AgentVoice = {}) {
  await pause(which * 700);
  const caller = await SimulatedCaller.connect(program.url, program.key, { persona: PERSONA, ...agent });
  const gaveWay = caller.controls.some(({ message }) => message.voice_gave_way === true);
  const gaps: ResponseLatency[] = [];
  const early: string[] = [];
  let unanswered = 0;
  let callerMs = 0;
  for (let clip = questions(); clip !== null; clip = questions()) {
    callerMs += clip.endMs - clip.startMs;
    const answer = await ask(caller, clip, 0);
    if (answer === null) unanswered++;
    else if ('early' in answer) early.push(answer.early);
    else gaps.push(answer);
    await agentSilent(caller, 300);
  }
  await caller.hangUp();
  const samples = caller.playout.heard.reduce((sum, piece) => sum + piece.samples.length, 0);
  const { breaks } = caller.playout;
  const seconds = { spokenSeconds: samples / LINE_RATE, callerSeconds: callerMs / 1000 };
  return { gaps, early, unanswered, breaks, gaveWay, buffered: caller.buffered, ...seconds };
}
