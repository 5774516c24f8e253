import type { Mode } from './contract.ts';

/** The four times have the same defaults as the carriers' own detection. */
export interface Tunables {
  /** 0..1: a higher one decides sooner. */
  readonly aggressiveness: number;
  readonly mode: Mode;
  readonly timeoutMs: number;
  /** Speech without rest for so long is a machine's rather than a person's. */
  readonly speechThresholdMs: number;
  /** Quiet after speech for so long ends the greeting; absent: by aggressiveness. */
  readonly speechEndMs?: number;
  /** Nothing at all for so long is no answer. */
  readonly silenceTimeoutMs: number;
}

export const DEFAULTS: Tunables = {
  aggressiveness: 0.5,
  mode: 'detect',
  timeoutMs: 30_000,
  speechThresholdMs: 2400,
  silenceTimeoutMs: 5000,
};

/** Limits of each, as carriers document them. */
export const RANGES = {
  timeoutMs: [3000, 59_000],
  speechThresholdMs: [1000, 6000],
  speechEndMs: [500, 5000],
  silenceTimeoutMs: [2000, 10_000],
} as const;

/** The times that carriers have no parameter for. Each is shorter the higher `aggressiveness`, by `perStepMs` from 0 to 1. */
const TIMES = {
  /** A machine is not told from the next before so much of it was heard. */
  leastSpeaking: { atHalfMs: 2600, perStepMs: 2000 },
  /** The wait for the transcript of a greeting that has ended. */
  wordsPatience: { atHalfMs: 1400, perStepMs: 600 },
  /** Quiet after which the likeliest is said, however likely it is: a person who waits for an answer hangs up, a machine does not. */
  enoughQuiet: { atHalfMs: 2600, perStepMs: 1200 },
  personQuiet: { atHalfMs: 1200, perStepMs: 600 },
} as const;

export const timeOf = (name: keyof typeof TIMES, { aggressiveness }: Tunables): number =>
  TIMES[name].atHalfMs + TIMES[name].perStepMs * (0.5 - aggressiveness);

/**
 * Likelihood from which a verdict is given: while the greeting goes on, and once it has paused. The first is linear in its logarithm of odds,
 * 0.995 to 0.84, because words carry a machine's likelihood past 0.95 in one step. The second is never above the first, so that a pause delays no verdict.
 */
export function sureness(aggressiveness: number): { speaking: number; quiet: number } {
  return {
    speaking: 1 / (1 + Math.exp(3.648 * aggressiveness - 5.3)),
    quiet: 0.95 - 0.3 * aggressiveness,
  };
}

/** Quiet that ends a greeting. */
export const endOfSpeechMs = ({ speechEndMs, aggressiveness }: Tunables): number =>
  speechEndMs ?? Math.round(870 - 500 * aggressiveness);

/** Quiet that speaks for a person who waits. It is evidence: how soon a verdict is wanted does not change what was heard. */
export const waitingMs = ({ speechEndMs }: Tunables): number => speechEndMs ?? 620;
