/** Scores of different kinds have no common scale, but their ranks do, so reciprocal rank fusion combines ranks. */
const RANK_OFFSET = 20;

export interface Ranking<T> {
  readonly weight: number;
  readonly order: readonly T[];
}

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
