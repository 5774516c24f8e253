import { barPlot, percentile, type Report } from '../../harness/index.ts';
import type { Level } from '../sessions.ts';
import { type Wait, writeByLength } from './by-length.ts';
import { rounded, shareOf } from './time-figures.ts';

const P50_MS = 750;
const P95_MS = 1200;
const MAX_BREAKS_A_MINUTE = 1;

const waits = ({ gapsMs, early = [], unanswered }: Level): number[] => [
  ...gapsMs,
  ...Array.from({ length: early.length + unanswered }, () => Infinity),
];

export const waitsByLength = ({ gapsMs, words = [], turnSeconds = [] }: Level): Wait[] =>
  gapsMs.map((ms, at) => ({ ms, words: words[at] ?? null, turnSeconds: turnSeconds[at] ?? 0 }));

const aMinute = (count: number, { spokenSeconds }: Level): number =>
  Math.round((600 * count) / Math.max(1, spokenSeconds)) / 10;

export function isServed(level: Level): boolean {
  const ms = waits(level);
  if (ms.length === 0 || level.refused > 0 || level.unanswered > 0) return false;
  return percentile(ms, 0.5) <= P50_MS && percentile(ms, 0.95) <= P95_MS;
}

const isUnbroken = (level: Level): boolean =>
  isServed(level) && aMinute(level.breaksMs.length, level) <= MAX_BREAKS_A_MINUTE;

/** Returns the most concurrent calls that are served, with each smaller number served as well. */
export const servedAtOnce = (levels: readonly Level[]): number => mostOf(levels, isServed);

/** Counts like servedAtOnce, where the agents' speech breaks off at most once a minute. */
export const unbrokenAtOnce = (levels: readonly Level[]): number => mostOf(levels, isUnbroken);

function mostOf(levels: readonly Level[], holds: (level: Level) => boolean): number {
  const first = levels.findIndex((level) => !holds(level));
  return levels[(first < 0 ? levels.length : first) - 1]?.sessions ?? 0;
}

export function writeSessions(report: Report, levels: readonly Level[]): void {
  report.heading('Sessions at once');
  report.text(
    'A break is any moment within a speech at which nothing was there to be played, however long: in the middle of sound, or 200 ms and ' +
      'more anywhere. A speech ends where the server says that it has. Shorter ones between two clauses make a pause longer. An answer ' +
      'that began before the question had ended counts as one that never came. With fewer than 20 questions the p95 is the longest of all.',
  );
  report.table(
    [
      'sessions',
      'questions',
      'response latency p50',
      'response latency p95',
      'answered early',
      'not answered',
      'refused',
      'breaks, a minute',
      'longest, ms',
      'with 60 ms buffered',
      'with 120 ms',
      'pauses made longer, a minute',
      'ms each, p50',
      'cores',
    ],
    levels.map(row),
  );
  for (const { sessions, early = [] } of levels) {
    if (early.length > 0) report.text(`Answered early, ${sessions} at once: ${early.join('; ')}.`);
  }
  for (const level of levels) writeByLength(report, waitsByLength(level), `${level.sessions} at once`);
  report.figure({
    name: 'sessions at once with both goals of the response latency, every question answered, and at most one break a minute',
    value: unbrokenAtOnce(levels),
    unit: '',
  });
  report.plot(
    'sessions',
    'Sessions at once: the response latency and what the server needs',
    barPlot({
      title: 'Response latency by sessions at once',
      unit: 'ms',
      series: ['p50', 'p95'],
      groups: levels.map(({ sessions, gapsMs }) => ({
        label: String(sessions),
        values: [0.5, 0.95].map((share) =>
          gapsMs.length === 0 ? null : Math.round(percentile(gapsMs, share)),
        ),
        goal: P95_MS,
      })),
    }),
  );
}

function row(level: Level): (string | number | null)[] {
  const ms = waits(level);
  const stored = (delay: number): number | null => {
    const breaks = level.buffered?.find(({ delayMs }) => delayMs === delay)?.breaksMs;
    return breaks === undefined ? null : aMinute(breaks.length, level);
  };
  return [
    level.sessions,
    ms.length,
    shareOf(ms, 0.5),
    shareOf(ms, 0.95),
    level.early?.length ?? 0,
    level.unanswered,
    level.refused,
    aMinute(level.breaksMs.length, level),
    level.breaksMs.length === 0 ? '' : rounded(Math.max(...level.breaksMs)),
    stored(60),
    stored(120),
    aMinute(level.longerPausesMs.length, level),
    shareOf(level.longerPausesMs, 0.5),
    level.cores.toFixed(2),
  ];
}
