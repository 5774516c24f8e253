/** The real-time factor on lesser processors: each in a process of its own that uses no more than they have. */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../harness/index.ts';
import type { Section } from './parts.ts';

const RUNS = 5;
/** As TRUNKLINE_CPU has them; empty: all that there is. */
const NARROWED = ['', 'avx512', 'avx2'] as const;

interface Said {
  readonly factor: number;
  readonly first: number;
}

function speakOn(cpu: string, threads: number): Said[] {
  const program = fileURLToPath(new URL(`speak-alone${extname(import.meta.url)}`, import.meta.url));
  const env = { ...process.env, TRUNKLINE_CPU: cpu, TRUNKLINE_BENCH_THREADS: String(threads) };
  const args = [...process.execArgv, program, String(RUNS)];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    env,
    encoding: 'utf8',
    timeout: 200_000,
  });
  if (status !== 0) throw new Error(`speaking with ${cpu || 'everything'} failed: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Said[];
}

export async function kernels(report: Section, quick: boolean): Promise<void> {
  report.heading('By kind of processor');
  report.text(
    `The same sentence on what lesser processors have (TRUNKLINE_CPU narrows Trunkline's own kernels; the front of the model, on onnxruntime, keeps what this processor of ${cpus().length} cores has), on one thread and on two: the median of ${RUNS}.`,
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
