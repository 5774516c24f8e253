import { percentile, type Report } from '../harness/index.ts';
import { writeByLength } from '../omni/report/by-length.ts';
import { isServed, servedAtOnce, unbrokenAtOnce, waitsByLength } from '../omni/report/sessions.ts';
import type { Level as Sessions } from '../omni/sessions.ts';
import { LEVEL_NAMES, type Level } from './levels.ts';
import { isStored, storedAtEachLevel } from './part-store.ts';

const COLUMNS = [
  'sessions',
  'questions',
  'response latency p50',
  'response latency p95',
  'early',
  'not answered',
  'refused',
  'breaks',
  'agent speaks',
  'caller speaks',
  'cores',
  'served',
];

const NAMES = { piper: 'Piper', hibari: 'Hibari', kokoro: 'Kokoro' } as const;
const GOAL = { piper: 8, hibari: 8, kokoro: 6 } as const;

export function writeSessions(
  report: Report,
  here: readonly Level[],
  voice: keyof typeof GOAL,
  quick: boolean,
): void {
  report.heading(`Omni: sessions at once, ${NAMES[voice]}`);
  report.text(
    'The strict count: that number, and each smaller one that was tried, keeps a response latency of 750 ms (p50) and 1,200 ms (p95) and leaves no question without an answer. The number beside it also breaks off at most once in a minute of the agent’s speech. An answer that begins before the question has ended counts as an endless gap, so that the p95 that is judged passes one of twenty; the table’s gaps are of the others. Each number is asked 24 recordings at least, and lasts a minute at least. A call of 15 s comes before, which is not counted.',
  );
  const rows: (string | number)[][] = [];
  for (const { level, data } of storedAtEachLevel(report, here, `sessions-${voice}`, quick)) {
    const name = `${LEVEL_NAMES[level]}: sessions at once by the strict count, ${voice}`;
    report.figure({ name, value: servedAtOnce(data), unit: '', goal: { atLeast: GOAL[voice] } });
    report.figure({
      name: `${LEVEL_NAMES[level]}: the same with at most one break a minute, ${voice}`,
      value: unbrokenAtOnce(data),
      unit: '',
    });
    for (const one of data) {
      rows.push(sessionRow(level, one));
      writeByLength(report, waitsByLength(one), `${LEVEL_NAMES[level]}, ${voice}, ${one.sessions} at once`);
    }
  }
  report.table(['level', ...COLUMNS], rows);
}

export function writeLoad(report: Report, here: readonly Level[], quick: boolean): void {
  if (!isStored(here, 'load', quick)) return;
  report.heading('Omni: four calls in a Kokoro voice, without and with leave to give way');
  report.text(
    'As many calls as admission takes on two cores. With `voice_under_load` a call begins with a Piper voice where one in its own would leave no room for another. Recordings and length as above.',
  );
  const rows: (string | number)[][] = [];
  for (const { level, data } of storedAtEachLevel(report, here, 'load', quick)) {
    for (const [leave, one] of [['no', data.without] as const, ['yes', data.withLeave] as const]) {
      const [name, ...row] = sessionRow(level, one);
      rows.push([name as string, leave, one.gaveWay ?? 0, ...row, Math.round(Math.max(0, ...one.breaksMs))]);
    }
  }
  report.table(['level', 'leave', 'gave way', ...COLUMNS, 'longest break'], rows);
}

function sessionRow(level: Level, one: Sessions): (string | number)[] {
  const gap = (share: number) =>
    one.gapsMs.length === 0 ? '-' : Math.round(percentile(one.gapsMs, share)).toString();
  const early = one.early?.length ?? 0;
  return [
    LEVEL_NAMES[level],
    one.sessions,
    one.gapsMs.length + early + one.unanswered,
    gap(0.5),
    gap(0.95),
    early,
    one.unanswered,
    one.refused,
    one.breaksMs.length,
    shareOf(one.spokenSeconds, one),
    one.callerSeconds === undefined ? '-' : shareOf(one.callerSeconds, one),
    one.cores.toFixed(2),
    isServed(one) ? 'yes' : 'no',
  ];
}

const shareOf = (spoken: number, { sessions, seconds = 30 }: Sessions): string =>
  `${Math.round((100 * spoken) / sessions / seconds)} %`;
