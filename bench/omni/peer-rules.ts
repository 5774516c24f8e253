/**
 * The default rules of open frameworks for voice agents decide when an agent stops, and when a caller has finished. A
 * rule reads one value after the other, the level of each frame or the speech probability of each of Silero's
 * windows, and returns the one at which it decides, or null.
 */
import { FRAME_MS } from '../../src/apps/caller/index.ts';

export const WINDOW_MS = 32;

type Decide = (values: readonly number[]) => number | null;

export interface Rule {
  readonly sees: 'level' | 'voice';
  readonly decide: Decide;
}

const STEP_MS = { level: FRAME_MS, voice: WINDOW_MS } as const;

const windows = (ms: number): number => Math.round(ms / WINDOW_MS);

export function inARow(limit: number, count: number): Decide {
  return (values) => {
    let run = 0;
    for (const [at, value] of values.entries()) {
      run = value >= limit ? run + 1 : 0;
      if (run >= count) return at;
    }
    return null;
  };
}

/** pipecat's end of speech: it has begun, and `count` windows in a row are not voice. */
export function quietAfter(limit: number, started: number, count: number): Decide {
  return (values) => {
    const begun = inARow(limit, started)(values);
    if (begun === null) return null;
    let run = 0;
    for (let at = begun + 1; at < values.length; at++) {
      run = (values[at] as number) >= limit ? 0 : run + 1;
      if (run >= count) return at;
    }
    return null;
  };
}

/** LiveKit smooths Silero's probabilities, and is in speech after `START_MS` of voice until `SILENCE_MS` without. */
const LIVEKIT = { limit: 0.5, smoothing: 0.35, startMs: 50, silenceMs: 550 };

interface Speech {
  speaking: boolean;
  voiceMs: number;
  silenceMs: number;
  spokenMs: number;
}

function* speechByLiveKit(values: readonly number[]): Generator<Readonly<Speech> & { ended: boolean }> {
  const now: Speech = { speaking: false, voiceMs: 0, silenceMs: 0, spokenMs: 0 };
  let smooth = values[0] ?? 0;
  for (const value of values) {
    smooth += LIVEKIT.smoothing * (value - smooth);
    const voice = smooth >= LIVEKIT.limit;
    now.voiceMs = voice ? now.voiceMs + WINDOW_MS : 0;
    now.silenceMs = voice ? 0 : now.silenceMs + WINDOW_MS;
    if (now.speaking) now.spokenMs += WINDOW_MS;
    const ended = now.speaking && now.silenceMs >= LIVEKIT.silenceMs;
    if (ended) Object.assign(now, { speaking: false, spokenMs: 0 });
    else if (!now.speaking && now.voiceMs >= LIVEKIT.startMs)
      Object.assign(now, { speaking: true, spokenMs: now.voiceMs });
    yield { ...now, ended };
  }
}

function firstOfLiveKit(test: (speech: Readonly<Speech> & { ended: boolean }) => boolean): Decide {
  return (values) => {
    let at = 0;
    for (const speech of speechByLiveKit(values)) {
      if (test(speech)) return at;
      at++;
    }
    return null;
  };
}

export const CUTS = {
  'level over -42 dBFS for 200 ms': { sees: 'level', decide: inARow(-42, 200 / FRAME_MS) },
  'Silero at 0.5 for 200 ms': { sees: 'voice', decide: inARow(0.5, windows(200)) },
  'Silero at 0.7 for 200 ms (pipecat)': { sees: 'voice', decide: inARow(0.7, windows(200)) },
  'Silero at 0.5 for 500 ms': { sees: 'voice', decide: inARow(0.5, windows(500)) },
  'Silero, 500 ms since speech began (LiveKit)': {
    sees: 'voice',
    decide: firstOfLiveKit(({ spokenMs }) => spokenMs >= 500),
  },
} as const satisfies Record<string, Rule>;

export const ENDS = {
  'Silero, 550 ms of silence (LiveKit)': { sees: 'voice', decide: firstOfLiveKit(({ ended }) => ended) },
  'Silero, 800 ms of silence (pipecat)': {
    sees: 'voice',
    decide: quietAfter(0.7, windows(200), windows(800)),
  },
} as const satisfies Record<string, Rule>;

export type CutName = keyof typeof CUTS;
export type EndName = keyof typeof ENDS;

export interface Recognized {
  readonly level: readonly number[];
  readonly voice: readonly number[];
}

/**
 * Returns when each rule has decided, from a moment of the clip: once the frame has arrived that completes its input.
 */
export function decisions<Name extends string>(
  rules: Readonly<Record<Name, Rule>>,
  heard: Recognized,
  leadFrames: number,
  fromMs: number,
): Record<Name, number | null> {
  const known = ({ sees, decide }: Rule): number | null => {
    const at = decide(heard[sees]);
    if (at === null) return null;
    const frames = Math.ceil(((at + 1) * STEP_MS[sees]) / FRAME_MS);
    return (frames - leadFrames) * FRAME_MS - fromMs;
  };
  const names = Object.keys(rules) as Name[];
  return Object.fromEntries(names.map((name) => [name, known(rules[name])])) as Record<Name, number | null>;
}
