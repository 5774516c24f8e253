/**
 * Checks the goals on the processors that people have: AVX2 alone, AVX-512, AMX. Each part runs in a process that is
 * restricted to one of them, our kernels by TRUNKLINE_CPU and the inference library by a patched copy
 * (patch-cpuid.ts). `npm run bench -- processors` runs all parts at each level of this machine, about 12 minutes a
 * level; `… processors avx2 speak hear` the named parts and levels, and `report` none: the report uses the last
 * results.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { runBench } from '../harness/index.ts';
import { LEVELS, type Level, levelEnvironment, levelsHere } from './levels.ts';
import { measureMachine } from './machine.ts';
import { storePart } from './part-store.ts';
import { PART_NAMES, type PartName } from './parts.ts';
import { writeReport } from './report.ts';

const MACHINE = 'machine';

async function measureAt(level: Level, part: PartName, quick: boolean): Promise<unknown> {
  const program = new URL(`./part${extname(import.meta.url)}`, import.meta.url);
  const child = fork(program, [part, quick ? 'quick' : 'whole'], {
    env: { ...process.env, ...levelEnvironment(level) },
    execArgv: process.execArgv,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let out = '';
  child.stdout!.on('data', (piece: Buffer) => (out += piece));
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`${part} at ${level} ended with ${status}: ${out.slice(-500)}`);
  return JSON.parse(out.trim().split('\n').at(-1)!);
}

await runBench('processors', 'Ordinary processors', async (report, { quick, parts }) => {
  const words: readonly string[] = [...LEVELS, ...PART_NAMES, MACHINE, 'report'];
  const unknown = parts.find((part) => !words.includes(part));
  if (unknown !== undefined) throw new Error(`no part ${unknown}: ${words.join(', ')}`);
  const here = levelsHere();
  const levels = here.filter((level) => parts.includes(level));
  const named = PART_NAMES.filter((part) => parts.includes(part));
  const alone = parts.some((part) => part === MACHINE || part === 'report');
  if (parts.includes(MACHINE) || parts.length === 0)
    storePart(MACHINE, await measureMachine(here, quick), quick);
  for (const part of named.length > 0 ? named : alone ? [] : PART_NAMES) {
    for (const level of levels.length > 0 ? levels : here) {
      console.log(`${part} at ${level}…`);
      storePart(`${level}-${part}`, await measureAt(level, part, quick), quick);
    }
  }
  writeReport(report, here, quick);
});
