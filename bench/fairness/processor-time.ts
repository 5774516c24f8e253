import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10;

interface Stat {
  readonly name: string;
  readonly ms: number;
  readonly endedMs: number;
  readonly parent: number;
}

function readStat(path: string): Stat | null {
  try {
    const text = readFileSync(path, 'utf8');
    const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent, own, ended] = [fields[1]!, fields[11]! + fields[12]!, fields[13]! + fields[14]!];
    return { name, parent, ms: own * TICK_MS, endedMs: ended * TICK_MS };
  } catch {
    return null;
  }
}

const numbersIn = (folder: string): number[] => {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
};

/**
 * Returns the CPU milliseconds since each thread began, by thread name; `programs` are child processes that have
 * ended.
 */
export function processorTime(pid: number): Map<string, number> {
  const times = new Map<string, number>();
  const add = (name: string, ms: number) => times.set(name, (times.get(name) ?? 0) + ms);
  for (const thread of numbersIn(`/proc/${pid}/task`)) {
    const stat = readStat(`/proc/${pid}/task/${thread}/stat`);
    if (stat !== null) add(thread === pid ? 'main' : stat.name, stat.ms);
  }
  add('programs', readStat(`/proc/${pid}/stat`)?.endedMs ?? 0);
  const below = childrenOf(pid);
  for (const child of below) {
    const stat = readStat(`/proc/${child}/stat`);
    if (stat !== null) add('programs', stat.ms + stat.endedMs);
  }
  return times;
}

function childrenOf(pid: number): number[] {
  const parents = numbersIn('/proc').map((each) => [each, readStat(`/proc/${each}/stat`)?.parent] as const);
  const found = [pid];
  for (const one of found) for (const [each, parent] of parents) if (parent === one) found.push(each);
  return found.slice(1);
}

export const since = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) =>
  [...after]
    .map(([name, ms]) => [name, ms - (before.get(name) ?? 0)] as const)
    .filter(([, ms]) => ms > 0)
    .sort(([, one], [, other]) => other - one);
