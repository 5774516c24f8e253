/** Reciprocal rank fusion: scores of different kinds have no common scale, their orders do. */
const RANK_OFFSET = 20;

export interface Ranking<T> {
  readonly weight: number;
  /** Best first. */
  readonly order: readonly T[];
}

/** Returns the fused ranking, best first; a score of 1 means first in all of them. */
export function fuseRankings<T>(
  rankings: readonly Ranking<T>[],
): { readonly item: T; readonly score: number }[] {
  const sums = new Map<T, number>();
  for (const { weight, order } of rankings) {
    order.forEach((item, at) => {
      sums.set(item, (sums.get(item) ?? 0) + weight / (RANK_OFFSET + at));
    });
  }
  const best = rankings.reduce((sum, { weight }) => sum + weight, 0) / RANK_OFFSET;
  return [...sums].map(([item, sum]) => ({ item, score: sum / best })).sort((a, b) => b.score - a.score);
}
