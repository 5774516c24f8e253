import { barPlot, type Report } from '../harness/index.ts';
import { type CompandingLine, fastest } from './lines.ts';

/** Nanoseconds a sample, for AVX-512 with buffers in the L1 cache. */
const GOALS: Record<string, number> = {
  'decode u-law': 0.08,
  'decode A-law': 0.08,
  'encode u-law': 0.22,
  'encode A-law': 0.22,
};
const PLOTTED_SIZE = 4096;

export function reportCompanding(report: Report, lines: readonly CompandingLine[]): void {
  const sets = ['avx512', 'avx2', 'neon', 'plain'];
  const best = sets.find((set) => lines.some((line) => line.who === set));
  if (!best) throw new Error('no companding kernel was measured');
  const operations = Object.keys(GOALS);
  for (const op of operations) {
    const here = lines.filter((line) => line.op === op && line.size === PLOTTED_SIZE);
    const ours = here.find((line) => line.who === best);
    const peer = fastest(here.filter((line) => !sets.includes(line.who)));
    if (!ours) continue;
    report.figure({
      name: `G.711 ${op} (${best})`,
      value: ours.ns,
      unit: 'ns/sample',
      // The goal was set for AVX-512; other sets are reported without one.
      ...(best === 'avx512' && { goal: { atMost: GOALS[op] as number } }),
      ...(peer && { peer: peer.who, peerValue: peer.ns }),
    });
  }
  report.heading('Companding');
  report.text(
    'Nanoseconds a sample, median of repeated runs taken in turns. 160 samples are the 20 ms of a carrier’s frame; both ' +
      'sizes stay in the first cache. A table costs little while nothing else wants that cache; arithmetic never does.',
  );
  const names = [...new Set(lines.map((line) => line.who))];
  const cell = (op: string, size: number, who: string) =>
    lines.find((line) => line.op === op && line.size === size && line.who === who)?.ns ?? null;
  const sizes = [...new Set(lines.map((line) => line.size))];
  report.table(
    ['operation', 'samples', ...names],
    operations.flatMap((op) =>
      sizes.map((size) => [op, String(size), ...names.map((who) => cell(op, size, who))]),
    ),
  );
  report.plot(
    'companding',
    'G.711, 4,096 samples, buffers in the first cache; the red mark is the goal.',
    barPlot({
      title: 'G.711 companding',
      unit: 'ns a sample (less is better)',
      series: names,
      groups: operations.map((op) => ({
        label: op,
        values: names.map((who) => cell(op, PLOTTED_SIZE, who)),
        goal: GOALS[op] as number,
      })),
    }),
  );
}
