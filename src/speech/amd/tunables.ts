import type { Mode } from './contract.ts';

/** The four times have the same defaults as the carriers' own detection. */
export interface Tunables {
  readonly aggressiveness: number;
  readonly mode: Mode;
  readonly timeoutMs: number;
  /** Uninterrupted speech longer than this indicates a machine. */
  readonly speechThresholdMs: number;
  readonly speechEndMs?: number;
  readonly silenceTimeoutMs: number;
}

export const DEFAULTS: Tunables = {
  aggressiveness: 0.5,
  mode: 'detect',
  timeoutMs: 30_000,
  speechThresholdMs: 2400,
  silenceTimeoutMs: 5000,
};

export const RANGES = {
  timeoutMs: [3000, 59_000],
  speechThresholdMs: [1000, 6000],
  speechEndMs: [500, 5000],
  silenceTimeoutMs: [2000, 10_000],
} as const;

/** Carriers have no parameter for these times. A higher aggressiveness shortens each by `perStepMs` from 0 to 1. */
const TIMES = {
  leastSpeaking: { atHalfMs: 2600, perStepMs: 2000 },
  wordsPatience: { atHalfMs: 1400, perStepMs: 600 },
  /** After this quiet, the likeliest answer is the verdict: a waiting person hangs up, a machine does not. */
  enoughQuiet: { atHalfMs: 2600, perStepMs: 1200 },
  personQuiet: { atHalfMs: 1200, perStepMs: 600 },
} as const;

export const timeOf = (name: keyof typeof TIMES, { aggressiveness }: Tunables): number =>
  TIMES[name].atHalfMs + TIMES[name].perStepMs * (0.5 - aggressiveness);

/**
 * Returns the likelihood that a verdict needs while the greeting goes on and once it has paused. The first is linear
 * in log-odds (0.995 to 0.84), because words raise a machine's likelihood past 0.95 in one step. The second never
 * exceeds the first, so that a pause delays no verdict.
 */
export function sureness(aggressiveness: number): { speaking: number; quiet: number } {
  return {
    speaking: 1 / (1 + Math.exp(3.648 * aggressiveness - 5.3)),
    quiet: 0.95 - 0.3 * aggressiveness,
  };
}

export const endOfSpeechMs = ({ speechEndMs, aggressiveness }: Tunables): number =>
  speechEndMs ?? Math.round(870 - 500 * aggressiveness);

/** This quiet indicates a waiting person. Aggressiveness does not change it, because it is evidence. */
export const waitingMs = ({ speechEndMs }: Tunables): number => speechEndMs ?? 620;
