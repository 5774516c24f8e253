import { percentile, type Report } from '../harness/index.ts';
import { LEVEL_NAMES, type Level } from './levels.ts';
import { storedAtEachLevel } from './part-store.ts';
import type { InterruptionsData } from './parts.ts';

export function writeInterruptions(report: Report, here: readonly Level[], quick: boolean): void {
  report.heading('Omni: interruptions');
  report.text(
    'Recordings of people played into the agent’s words, from their first sound until the agent stops; and backchannels, at which it must not stop: recordings of people and generated voices apart. The agent’s words are new each time, so that its voice is made meanwhile. English alone, one call at once; other languages, echo and several calls are parts of `npm run bench -- omni`.',
  );
  for (const { level, data } of storedAtEachLevel(report, here, 'cuts', quick))
    writeLevel(report, LEVEL_NAMES[level], data);
}

function writeLevel(report: Report, level: string, { interruptions, signs }: InterruptionsData): void {
  const trials = interruptions.filter(({ silent }) => !silent);
  const cut = trials.map(({ cutMs }) => cutMs ?? Number.POSITIVE_INFINITY);
  const within = cut.filter((time) => time <= 400).length;
  const p95 = percentile(cut, 0.95);
  const p50 = percentile(cut, 0.5);
  if (Number.isFinite(p50))
    report.figure({ name: `${level}: interruption latency p50`, value: Math.round(p50), unit: 'ms' });
  if (Number.isFinite(p95))
    report.figure({ name: `${level}: interruption latency p95`, value: Math.round(p95), unit: 'ms' });
  // A p95 of 400 ms means nineteen of twenty within 400 ms, and that share has a value however many interruptions are
  // missed.
  report.figure({
    name: `${level}: interrupted within 400 ms`,
    value: (100 * within) / Math.max(1, trials.length),
    unit: `% of ${trials.length}`,
    goal: { atLeast: 95 },
  });
  for (const [name, some] of [
    ['real', signs.filter(({ kind }) => !kind.startsWith('generated'))],
    ['generated', signs.filter(({ kind }) => kind.startsWith('generated'))],
  ] as const) {
    if (some.length === 0) continue;
    report.figure({
      name: `${level}: false interruptions, ${name} backchannels`,
      value: (100 * some.filter(({ cut: was }) => was).length) / some.length,
      unit: `% of ${some.length}`,
      goal: { atMost: 5 },
    });
  }
}
