import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describeMachine, type Report } from '../harness/index.ts';
import type { Level } from './levels.ts';
import type { MachineData } from './machine.ts';
import type { PartName, Results } from './parts.ts';

export interface StoredPart<Data> {
  readonly measured: string;
  readonly commit: string | null;
  readonly load: number;
  readonly data: Data;
}

const fileOf = (name: string, quick: boolean): string =>
  resolve('build-bench', quick ? 'quick' : '.', 'processors', `${name}.json`);

export function storePart(name: string, data: unknown, quick: boolean): void {
  const { commit, load } = describeMachine();
  const stored: StoredPart<unknown> = { measured: new Date().toISOString(), commit, load, data };
  mkdirSync(dirname(fileOf(name, quick)), { recursive: true });
  writeFileSync(fileOf(name, quick), JSON.stringify(stored));
}

function read<Data>(name: string, quick: boolean): StoredPart<Data> | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(name, quick), 'utf8')) as StoredPart<Data>;
  } catch {
    return undefined;
  }
}

export const storedMachine = (quick: boolean) => read<MachineData>('machine', quick);

export function storedFor<Name extends PartName>(
  report: Report,
  level: Level,
  part: Name,
  quick: boolean,
): Results[Name] | undefined {
  const one = storedParts(level, part, quick);
  if (one) report.measuredAt(one.commit);
  return one?.data;
}

/** Yields the stored results of one level after the other; each is reported before the next. */
export function* storedAtEachLevel<Name extends PartName>(
  report: Report,
  here: readonly Level[],
  part: Name,
  quick: boolean,
): Generator<{ readonly level: Level; readonly data: Results[Name] }> {
  for (const level of here) {
    const data = storedFor(report, level, part, quick);
    if (data !== undefined) yield { level, data };
  }
}

export const isStored = (here: readonly Level[], part: PartName, quick: boolean): boolean =>
  here.some((level) => storedParts(level, part, quick) !== undefined);

export const storedParts = <Name extends PartName>(level: Level, part: Name, quick: boolean) =>
  read<Results[Name]>(`${level}-${part}`, quick);
