import type { BrainUsage } from '../contract.ts';

const count = (value: unknown): number => (typeof value === 'number' && value >= 0 ? Math.round(value) : 0);

type Fields = Record<string, unknown>;
const part = (of: Fields, name: string): Fields => {
  const value = of[name];
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
};

/** Returns null for an event without usage. Servers report cached tokens in three ways. */
export function brainUsageIn(
  event: Fields,
): { readonly cost: BrainUsage; readonly reasoningTokens: number } | null {
  const { usage } = event;
  if (typeof usage !== 'object' || usage === null) return null;
  const said = usage as Fields;
  const cached =
    part(said, 'prompt_tokens_details').cached_tokens ?? said.prompt_cache_hit_tokens ?? said.cached_tokens;
  return {
    cost: {
      promptTokens: count(said.prompt_tokens),
      cachedTokens: count(cached),
      completionTokens: count(said.completion_tokens),
    },
    reasoningTokens: count(part(said, 'completion_tokens_details').reasoning_tokens),
  };
}
