const STEP = 256;
/**
 * A smaller context does not hold a persona, its tools and a few turns; the runtime then reports the missing memory.
 */
export const MIN_CONTEXT_TOKENS = 2048;
const UNKNOWN = 4096;

export interface ContextBudget {
  readonly trainedTokens: number | null;
  readonly calls: number;
  readonly fixedBytes: number;
  readonly tokenBytes: number;
  readonly budgetBytes: number;
}

export function contextTokensFor(need: ContextBudget): number {
  const longest = need.trainedTokens ?? UNKNOWN;
  if (need.tokenBytes <= 0) return longest;
  const held = (need.budgetBytes - need.fixedBytes) / (need.tokenBytes * need.calls);
  const aligned = Math.floor(held / STEP) * STEP;
  return Math.min(longest, Math.max(MIN_CONTEXT_TOKENS, aligned));
}
