import { linePlot, percentile, type Report } from '../../harness/index.ts';

/** The value stands for never where a figure must be a number: it exceeds the wait of every trial. */
export const NEVER_MS = 30_000;

/** Writes p50 and p95; an event that never came counts as later than all that did. */
export function waitFigures(
  report: Report,
  what: string,
  ms: readonly number[],
  { under = '', goal }: { under?: string; goal?: number } = {},
): void {
  if (ms.length === 0) return;
  const at = (share: number) => Math.min(NEVER_MS, Math.round(percentile(ms, share)));
  report.figure({ name: `${what}, p50${under}`, value: at(0.5), unit: 'ms' });
  report.figure({
    name: `${what}, p95${under}`,
    value: at(0.95),
    unit: 'ms',
    ...(goal !== undefined && { goal: { atMost: goal } }),
  });
  if (at(0.95) === NEVER_MS)
    report.text(`“${what}${under}” has trials in which it never happened: ${NEVER_MS} ms stands for that.`);
}

export const rounded = (ms: number | null): string =>
  ms === null || ms === Infinity ? 'never' : String(Math.round(ms));

export const shareOf = (ms: readonly number[], share: number): string =>
  ms.length === 0 ? '' : rounded(percentile(ms, share));

export function sharesPlot(
  label: string,
  series: { name: string; values: readonly number[] }[],
  most: number,
): string {
  return linePlot({
    title: `Share of trials within (the last goal is ${most})`,
    x: { label },
    y: { label: '%' },
    series: series.map(({ name, values }) => {
      const sorted = [...values].sort((a, b) => a - b);
      const points = sorted.map((x, at) => ({ x, y: (100 * (at + 1)) / sorted.length }));
      return { name, points: points.filter(({ x }) => x !== Infinity) };
    }),
    goals: [{ y: 95, label: '95 %' }],
  });
}
