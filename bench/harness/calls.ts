import { Bench } from 'tinybench';

export interface CallTime {
  median: number;
  p99: number;
  calls: number;
}

/** Times short JavaScript calls side by side; each is warmed up first and runs for `time` milliseconds. */
export async function timeCalls<Key extends string>(
  calls: Record<Key, () => unknown>,
  options: { time?: number } = {},
): Promise<Record<Key, CallTime>> {
  const bench = new Bench({ time: options.time ?? 500, throws: true });
  for (const [name, call] of Object.entries<() => unknown>(calls)) bench.add(name, call);
  const timed: Record<string, CallTime> = {};
  for (const task of await bench.run()) {
    const result = task.result;
    if (result.state !== 'completed') throw new Error(`"${task.name}" did not complete: ${result.state}`);
    timed[task.name] = {
      median: result.latency.p50 * 1e6,
      p99: result.latency.p99 * 1e6,
      calls: result.latency.samplesCount,
    };
  }
  return timed as Record<Key, CallTime>;
}
