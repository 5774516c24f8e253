export interface RunStatistics {
  median: number;
  min: number;
  max: number;
  /** Median absolute deviation: half of the runs lie within it. */
  deviation: number;
  runs: number;
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('median of no values');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

/** The smallest value that at least `share` (0..1) of all values do not exceed (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('percentile of no values');
  if (!(share >= 0 && share <= 1)) throw new RangeError(`share: expected 0..1, received ${share}`);
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] as number;
}

/**
 * Returns the 95 % confidence interval of a percentile. It is free of assumptions about the distribution, because it
 * counts the values below by the binomial distribution. `to` is null where there are too few values.
 */
export function percentileInterval(
  values: readonly number[],
  share: number,
): { from: number | null; to: number | null } {
  const sorted = [...values].sort((a, b) => a - b);
  const count = sorted.length;
  let chance = (1 - share) ** count;
  let below = chance;
  let from: number | null = null;
  let to: number | null = null;
  for (let rank = 1; rank <= count; rank++) {
    if (below <= 0.025) from = sorted[rank - 1] as number;
    if (below >= 0.975 && to === null) to = sorted[rank - 1] as number;
    chance *= ((count - rank + 1) / rank) * (share / (1 - share));
    below += chance;
  }
  return { from, to };
}

/** Returns the 95 % confidence interval of a share, `count` of `of` (the exact interval of Clopper and Pearson). */
export function shareInterval(count: number, of: number): { from: number; to: number } {
  if (!(of > 0 && count >= 0 && count <= of))
    throw new RangeError(`expected a count of 0 to ${of}, received ${count}`);
  const atMost = (most: number, share: number): number => {
    let chance = (1 - share) ** of;
    let sum = 0;
    for (let k = 0; k <= most; k++) {
      sum += chance;
      chance *= ((of - k) / (k + 1)) * (share / (1 - share));
    }
    return sum;
  };
  const last = (holds: (share: number) => boolean): number => {
    let [low, high] = [0, 1];
    for (let step = 0; step < 50; step++) {
      const middle = (low + high) / 2;
      if (holds(middle)) low = middle;
      else high = middle;
    }
    return low;
  };
  return {
    from: count === 0 ? 0 : last((share) => 1 - atMost(count - 1, share) < 0.025),
    to: count === of ? 1 : last((share) => atMost(count, share) > 0.025),
  };
}

export function summarize(values: readonly number[]): RunStatistics {
  const middle = median(values);
  return {
    median: middle,
    min: Math.min(...values),
    max: Math.max(...values),
    deviation: median(values.map((value) => Math.abs(value - middle))),
    runs: values.length,
  };
}

export async function repeatRuns(
  once: (run: number) => number | Promise<number>,
  options: { runs?: number; warmup?: number } = {},
): Promise<RunStatistics> {
  const { runs = 7, warmup = 1 } = options;
  for (let run = 0; run < warmup; run++) await once(-1 - run);
  const values: number[] = [];
  for (let run = 0; run < runs; run++) values.push(await once(run));
  return summarize(values);
}

/** Measures contestants in turns (a b c, a b c, …), so that a slow spell of the machine affects all of them alike. */
export async function repeatInterleaved<Key extends string>(
  contestants: Record<Key, (run: number) => number | Promise<number>>,
  options: { runs?: number; warmup?: number } = {},
): Promise<Record<Key, RunStatistics>> {
  const { runs = 7, warmup = 1 } = options;
  const names = Object.keys(contestants) as Key[];
  const values = new Map<Key, number[]>(names.map((name) => [name, []]));
  for (let run = -warmup; run < runs; run++) {
    for (const name of names) {
      const value = await contestants[name](run);
      if (run >= 0) values.get(name)?.push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, summarize(values.get(name) ?? [])])) as Record<
    Key,
    RunStatistics
  >;
}
