import type { PlayedAudio } from './playout-buffer.ts';
import type { SimulatedCaller } from './simulated-caller.ts';

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
export const pauseUntil = (moment: number): Promise<void> => pause(Math.max(0, moment - performance.now()));

export async function agentSilent(caller: SimulatedCaller, forMs = 400, withinMs = 20_000): Promise<void> {
  const until = performance.now() + withinMs;
  for (let quietSince = performance.now(); performance.now() < until && !caller.over; await pause(10)) {
    if (caller.playout.playing) quietSince = performance.now();
    else if (performance.now() - quietSince > forMs) return;
  }
}

/**
 * Returns the index of the first played piece of an utterance that begins at piece `from` or later; null after the
 * timeout.
 */
export async function agentStartsSpeaking(
  caller: SimulatedCaller,
  from: number,
  withinMs = 20_000,
): Promise<number | null> {
  const until = performance.now() + withinMs;
  while (performance.now() < until) {
    if (caller.playout.heard.length > from) return from;
    await pause(5);
  }
  return null;
}

export async function agentHasSpoken(caller: SimulatedCaller, from: number, ms: number): Promise<boolean> {
  const began = caller.playout.heard[from]?.at;
  if (began === undefined) return false;
  await pauseUntil(began + ms);
  return caller.playout.playing;
}

export const heardSince = (caller: SimulatedCaller, from: number): PlayedAudio[] =>
  caller.playout.heard.slice(from);

export const LONG_ANSWER = Array.from(
  { length: 7 },
  (_, day) =>
    `On day ${day + 1} we are open from nine in the morning until five in the afternoon, and you may come at any time.`,
).join(' ');
