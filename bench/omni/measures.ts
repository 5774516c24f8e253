import type { ScriptedBrain } from './brain.ts';
import type { Caller } from './caller.ts';
import { type Clip, levelOf, RATE, silence } from './sound.ts';

const AUDIBLE_DBFS = -40;
const DUCK_DB = 20;

export interface Gap {
  /** From the true end of the caller's speech to the first sound of the answer. */
  readonly totalMs: number;
  readonly brainMs: number;
  readonly parts: Record<string, number>;
}

/** One question and its answer; null when the caller was answered before they had finished, or not at all. */
export async function measureGap(
  caller: Caller,
  brain: ScriptedBrain | null,
  clip: Clip,
): Promise<Gap | null> {
  const asked = brain?.asked.length ?? 0;
  const turns = caller.controls.filter(({ message }) => message.event === 'turn').length;
  const began = await caller.say(clip.samples);
  const end = began + (clip.end * 1000) / RATE;
  await caller.say(silence(0.02));
  const sound = await firstSoundAfter(caller, began, 6_000);
  if (sound === null || sound < end) return null;
  const turn = caller.controls.filter(({ message }) => message.event === 'turn')[turns]?.message;
  const question = brain?.asked[asked];
  const brainMs = question === undefined ? 0 : question.answeredAt - question.at;
  return {
    totalMs: sound - end,
    brainMs,
    parts: (turn?.latency_ms as Record<string, number> | undefined) ?? {},
  };
}

export interface Interruption {
  readonly duckedMs: number | null;
  readonly cutMs: number | null;
}

/** The caller speaks while the agent does; when does the caller hear less, and nothing? */
export async function measureInterruption(caller: Caller, clip: Clip): Promise<Interruption> {
  const loud = loudness(caller, performance.now() - 1_000);
  const saying = caller.say(clip.samples);
  const began = await saying;
  const onset = began + (clip.start * 1000) / RATE + 40;
  await listen(caller, onset + 1_500);
  const after = caller.ear.heard.filter(({ at }) => at >= onset);
  const ducked = after.find(({ level }) => level <= loud - DUCK_DB);
  const cut = caller.controls.find(({ at, message }) => at >= began && message.event === 'barge_in');
  return {
    duckedMs:
      cut === undefined && ducked === undefined
        ? null
        : Math.min(ducked?.at ?? Infinity, cut?.at ?? Infinity) - onset,
    cutMs: cut === undefined ? null : cut.at - onset,
  };
}

/** Whether a sound that is no interruption cut the agent off. */
export async function measureFalseCut(caller: Caller, samples: Int16Array): Promise<boolean> {
  const before = performance.now();
  await caller.say(samples);
  await listen(caller, performance.now() + 900);
  return caller.controls.some(({ at, message }) => at >= before && message.event === 'barge_in');
}

/** The level at which the agent is usually heard. */
function loudness(caller: Caller, since: number): number {
  const levels = caller.ear.heard.filter(({ at }) => at >= since).map(({ level }) => level);
  return [...levels].sort((a, b) => b - a)[Math.floor(levels.length / 4)] ?? -20;
}

async function firstSoundAfter(caller: Caller, from: number, ms: number): Promise<number | null> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    const sound = caller.ear.firstSound(from, AUDIBLE_DBFS);
    if (sound !== null) return sound;
    await pause(10);
  }
  return null;
}

/** Until the agent has said what it had to say. */
export async function agentSilent(caller: Caller, ms = 30_000): Promise<void> {
  const until = performance.now() + ms;
  for (let quietSince = performance.now(); performance.now() < until; await pause(20)) {
    if (caller.ear.playing) quietSince = performance.now();
    else if (performance.now() - quietSince > 400) return;
  }
}

export async function agentSpeaking(caller: Caller, forMs: number): Promise<boolean> {
  const until = performance.now() + 8_000;
  while (!caller.ear.playing && performance.now() < until) await pause(10);
  await pause(forMs);
  return caller.ear.playing;
}

const listen = async (_caller: Caller, until: number): Promise<void> =>
  pause(Math.max(0, until - performance.now()));
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Scaled to a level, for noises. */
export function atLevel(samples: Int16Array, dbfs: number): Int16Array {
  const gain = 10 ** ((dbfs - levelOf(samples)) / 20);
  return Int16Array.from(samples, (sample) => Math.max(-32768, Math.min(32767, Math.round(sample * gain))));
}
