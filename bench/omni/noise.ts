/**
 * Measures callers among others: `npm run bench -- noise` plays every kind of noise, about 20 minutes; `npm run bench --
 * noise KIND…` those named, and `report` none: the report uses the last results of every kind. `development` plays the
 * half on which settings may be chosen, without a report. The C++ tests must have been configured (build-native).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeMachine, type Machine, runBench } from '../harness/index.ts';
import { KINDS, measureNoise, type NoiseKind, type NoisyCall } from './noisy-calls.ts';
import { writeNoise } from './report/noise.ts';

interface Stored {
  readonly machine: Machine;
  readonly calls: readonly NoisyCall[];
}

await runBench('noise', 'Omni: callers among others', async (report, { quick, parts }) => {
  const words = [...KINDS, 'report', 'development'];
  const unknown = parts.find((part) => !words.includes(part));
  if (unknown !== undefined) throw new Error(`no part ${unknown}: ${words.join(', ')}`);
  const half = parts.includes('development') ? 'development' : 'held-out';
  const folder = join('build-bench', `noise-${quick ? 'quick' : half}`);
  const fileOf = (kind: NoiseKind) => join(folder, `${kind}.json`);
  const named = KINDS.filter((kind) => parts.includes(kind));
  for (const kind of parts.includes('report') || named.length > 0 ? named : KINDS) {
    const machine = describeMachine();
    const calls = await measureNoise(kind, quick, half);
    mkdirSync(dirname(fileOf(kind)), { recursive: true });
    writeFileSync(fileOf(kind), JSON.stringify({ machine, calls } satisfies Stored));
  }
  const all = KINDS.flatMap((kind) => stored(fileOf(kind)) ?? []);
  report.measuredAt(
    [...new Set(all.map(({ machine }) => machine.commit ?? 'no commit'))].join(' and ') || null,
  );
  writeNoise(
    report,
    all.flatMap(({ calls }) => calls),
  );
});

function stored(file: string): Stored | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Stored;
  } catch {
    return null;
  }
}
