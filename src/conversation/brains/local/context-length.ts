/** How long a context each call gets. Memory that calls need is not taken for it. */

/** The runtime aligns contexts so. */
const STEP = 256;
/** Below this a persona, its tools and a few turns do not fit; the runtime then says what it lacks. */
export const MIN_CONTEXT_TOKENS = 2048;
/** The default applies to a model whose file does not state its training length. */
const UNKNOWN = 4096;

export interface ContextBudget {
  readonly trainedTokens: number | null;
  readonly calls: number;
  /** A context takes this much memory, and more for each token of each call. */
  readonly fixedBytes: number;
  readonly tokenBytes: number;
  /** All contexts together may take this much memory. */
  readonly budgetBytes: number;
}

/** The trained length where the memory allows it, else as many tokens as it holds. */
export function contextTokensFor(need: ContextBudget): number {
  const longest = need.trainedTokens ?? UNKNOWN;
  if (need.tokenBytes <= 0) return longest;
  const held = (need.budgetBytes - need.fixedBytes) / (need.tokenBytes * need.calls);
  const aligned = Math.floor(held / STEP) * STEP;
  return Math.min(longest, Math.max(MIN_CONTEXT_TOKENS, aligned));
}
