import {
  agentSilent,
  type CallTransport,
  FRAME_MS,
  FRAME_SAMPLES,
  levelOf,
  overUlaw,
  type PlayoutBuffer,
  pause,
  SimulatedCaller,
  speechSpan,
} from '../caller/index.ts';

export interface MeasurementSounds {
  readonly questions: readonly Int16Array[];
  readonly interruptions: readonly Int16Array[];
  /** A backchannel ("mhm") must not interrupt the agent. */
  readonly listening: readonly Int16Array[];
}

export interface MeasuredCalls {
  /** The time from the start of the call to the agent's first audio; null where it waits for the caller. */
  readonly firstWordMs: number | null;
  /**
   * The response latency from the caller's last sound to the agent's first; null without an answer, negative when the
   * agent did not wait for the end.
   */
  readonly gapsMs: readonly (number | null)[];
  /**
   * The times from the caller's first audio until the agent is 20 dB lower or silent, and until it is silent; null
   * where it went on.
   */
  readonly duckMs: readonly (number | null)[];
  readonly cutMs: readonly (number | null)[];
  readonly falseInterruptions: readonly boolean[];
}

const AUDIBLE_DBFS = -45;
const ANSWER_MS = 8_000;
const GREETING_MS = 3_000;
const QUIET_MS = 900;
const INTO_ANSWER_MS = 1_500;
/** A speaker's pause is shorter than this. */
const SILENCE_MS = 700;
const WATCHED_MS = 2_500;
const DUCKED_DB = 20;
const DUCKED_FRAMES = 8;

export async function measure(
  wire: () => CallTransport,
  sounds: MeasurementSounds,
  rounds: number,
): Promise<MeasuredCalls> {
  const caller = await SimulatedCaller.over(wire());
  try {
    const firstWord = await soundAfter(caller, caller.began, GREETING_MS);
    if (firstWord !== null) await agentSilent(caller, QUIET_MS);
    const gapsMs: (number | null)[] = [];
    const over: { duckMs: number | null; cutMs: number | null }[] = [];
    const falseInterruptions: boolean[] = [];
    for (let round = 0; round < rounds; round++) {
      const question = pick(sounds.questions, round);
      gapsMs.push(await ask(caller, question));
      if (await speaking(caller)) over.push(await interrupt(caller, pick(sounds.interruptions, round)));
      await agentSilent(caller, QUIET_MS);
      await ask(caller, question);
      if (await speaking(caller)) {
        const { cutMs } = await interrupt(caller, pick(sounds.listening, round));
        falseInterruptions.push(cutMs !== null);
      }
      await agentSilent(caller, QUIET_MS);
    }
    return {
      firstWordMs: firstWord === null ? null : firstWord - caller.began,
      gapsMs,
      duckMs: over.map(({ duckMs }) => duckMs),
      cutMs: over.map(({ cutMs }) => cutMs),
      falseInterruptions,
    };
  } finally {
    await caller.hangUp();
  }
}

const pick = (from: readonly Int16Array[], at: number): Int16Array =>
  overUlaw(from[at % from.length] as Int16Array);

async function ask(caller: SimulatedCaller, question: Int16Array): Promise<number | null> {
  const began = await caller.say(question);
  const end = began + speechSpan(question).endMs;
  const sound = await soundAfter(caller, began, end - performance.now() + ANSWER_MS);
  return sound === null ? null : sound - end;
}

async function soundAfter(caller: SimulatedCaller, from: number, withinMs: number): Promise<number | null> {
  const until = performance.now() + withinMs;
  while (performance.now() < until && !caller.over) {
    const sound = caller.playout.firstSound(from + FRAME_MS, AUDIBLE_DBFS);
    if (sound !== null) return sound;
    await pause(10);
  }
  return null;
}

async function speaking(caller: SimulatedCaller): Promise<boolean> {
  await pause(INTO_ANSWER_MS);
  return caller.playout.playing;
}

async function interrupt(caller: SimulatedCaller, samples: Int16Array) {
  const span = speechSpan(samples);
  const began = await caller.say(samples);
  const onset = began + span.startMs;
  await pause(Math.max(0, began + span.endMs + WATCHED_MS - performance.now()));
  return duckedAfter(caller.playout, onset, performance.now() - FRAME_MS);
}

/**
 * Returns the times from `onset` until the agent stays 20 dB lower, and until it is silent for longer than a
 * speaker's pause.
 */
export function duckedAfter(playout: Pick<PlayoutBuffer, 'sounded'>, onset: number, until: number) {
  const before = levelOf(playout.sounded(onset - 1000, FRAME_SAMPLES * 50));
  const levels: number[] = [];
  for (let at = onset; at + FRAME_MS <= until; at += FRAME_MS)
    levels.push(levelOf(playout.sounded(at, FRAME_SAMPLES)));
  const silent = Math.ceil(SILENCE_MS / FRAME_MS);
  const cut = runOf(levels, AUDIBLE_DBFS, silent);
  const duck = runOf(levels, before - DUCKED_DB, cut === null ? silent : DUCKED_FRAMES);
  return {
    cutMs: cut === null ? null : cut * FRAME_MS,
    duckMs: duck === null ? null : duck * FRAME_MS,
  };
}

function runOf(levels: readonly number[], below: number, length: number): number | null {
  let run = 0;
  for (const [at, level] of levels.entries()) {
    run = level < below ? run + 1 : 0;
    if (run === length) return at - length + 1;
  }
  return null;
}
