import type { Mode } from './contract.ts';

/** What a call is judged by. The four times carry the carriers' own defaults. */
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

/** Likelihood from which a verdict is given: while the greeting goes on, and once it has paused. */
export function sureness(aggressiveness: number): { speaking: number; quiet: number } {
  return { speaking: 0.995 - 0.05 * aggressiveness, quiet: 0.95 - 0.3 * aggressiveness };
}

/** Quiet that ends a greeting. */
export const endOfSpeechMs = ({ speechEndMs, aggressiveness }: Tunables): number =>
  speechEndMs ?? Math.round(870 - 500 * aggressiveness);
