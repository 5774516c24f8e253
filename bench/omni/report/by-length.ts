import { byLength, FIRST_CLAUSE_WORDS, percentile, type Report } from '../../harness/index.ts';
import { TURN_SECONDS, turnGroup } from '../trial-sets.ts';

export interface Wait {
  readonly ms: number;
  readonly words: number | null;
  readonly turnSeconds: number;
}

export function writeByLength(report: Report, waits: readonly Wait[], what: string): void {
  const rows: (string | number)[][] = [];
  const add = (label: string, some: readonly Wait[]) => {
    if (some.length === 0) return;
    const [p50, p95] = [0.5, 0.95].map((share) =>
      Math.round(
        percentile(
          some.map(({ ms }) => ms),
          share,
        ),
      ),
    ) as [number, number];
    rows.push([label, some.length, p50, p95]);
    report.figure({ name: `response latency p50, ${what}, ${label}`, value: p50, unit: 'ms' });
    report.figure({ name: `response latency p95, ${what}, ${label}`, value: p95, unit: 'ms' });
  };
  for (const { words, values } of byLength(waits, (wait) => wait.words))
    add(`first clause of ${words} words`, values);
  for (const most of TURN_SECONDS)
    add(
      `question of up to ${most} s`,
      waits.filter(({ turnSeconds }) => turnGroup(turnSeconds) === most),
    );
  if (rows.length === 0) return;
  report.text(
    `By length, ${what}: answers begin with a clause of ${FIRST_CLAUSE_WORDS.join(', ')} words, as many of each.`,
  );
  report.table(['', 'questions', 'response latency p50', 'response latency p95'], rows);
}
