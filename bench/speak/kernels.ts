/** The real-time factor on lesser processors: each run has a process of its own that uses only their instructions. */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../harness/index.ts';
import { levelEnvironment } from '../processors/levels.ts';
import type { Section } from './parts.ts';

const RUNS = 5;
const NARROWED = ['', 'avx512', 'avx2'] as const;

interface Spoken {
  readonly factor: number;
  readonly first: number;
}

function speakOn(cpu: (typeof NARROWED)[number], threads: number): Spoken[] {
  const program = fileURLToPath(new URL(`speak-alone${extname(import.meta.url)}`, import.meta.url));
  const held = cpu === '' ? {} : levelEnvironment(cpu);
  const env = { ...process.env, ...held, TRUNKLINE_BENCH_THREADS: String(threads) };
  const args = [...process.execArgv, program, String(RUNS)];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    env,
    encoding: 'utf8',
    timeout: 200_000,
  });
  if (status !== 0) throw new Error(`speaking with ${cpu || 'everything'} failed: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Spoken[];
}

export async function kernels(report: Section, quick: boolean): Promise<void> {
  report.heading('By kind of processor');
  report.text(
    `The same sentence on what lesser processors have (our kernels and onnxruntime's both held to it, on this processor of ${cpus().length} cores), on one thread and on two: the median of ${RUNS}.`,
  );
  const rows: (string | number)[][] = [];
  for (const cpu of quick ? NARROWED.slice(0, 1) : NARROWED) {
    for (const threads of [1, 2]) {
      const said = speakOn(cpu, threads);
      const name = cpu === '' ? 'all that this processor has' : cpu;
      const factor = median(said.map((one) => one.factor));
      rows.push([name, threads, factor, median(said.map(({ first }) => first))]);
      if (threads === 2 && cpu !== '') {
        report.figure({
          name: `real-time factor, Kokoro, ${cpu} alone`,
          value: factor,
          unit: '',
          goal: { atMost: 0.35 },
        });
      }
    }
  }
  report.table(['kernels', 'threads', 'real-time factor', 'first audio in process, ms'], rows);
}
