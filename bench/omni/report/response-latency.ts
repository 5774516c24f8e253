import { percentile, type Report } from '../../harness/index.ts';
import { type ResponseLatencies, type ResponseLatency, withoutBrain } from '../response-latency.ts';
import { type Wait, writeByLength } from './by-length.ts';
import { sharesPlot } from './time-figures.ts';

const at = (share: number, of: readonly number[]) => Math.round(percentile(of, share));

export function writeResponseLatency(
  report: Report,
  { gaps: found, early, cutOff, unanswered }: ResponseLatencies,
  brain: string,
): void {
  report.heading(`Response latency, ${brain}`);
  const asked = found.length + early + unanswered.length;
  report.figure({
    name: `answered before the caller had finished, ${brain}`,
    value: early,
    unit: `of ${asked}`,
  });
  report.figure({ name: `not answered, ${brain}`, value: unanswered.length, unit: `of ${asked}` });
  if (cutOff !== undefined && cutOff.length > 0)
    report.text(`Answered before the caller had finished: ${cutOff.join('; ')}.`);
  if (found.length === 0) return;
  const all = withoutBrain(found);
  report.figure({
    name: `response latency p50, ${brain}`,
    value: at(0.5, all),
    unit: 'ms',
    goal: { atMost: 700 },
  });
  report.figure({
    name: `response latency p95, ${brain}`,
    value: at(0.95, all),
    unit: 'ms',
    goal: { atMost: 1100 },
  });
  report.figure({ name: `response latency p99, ${brain}`, value: at(0.99, all), unit: 'ms' });
  writeParts(report, found, all);
  writeRecord(report, found, brain);
  writeDelays(report, found, all);
  writeByLength(report, waitsOf(found), brain);
  report.plot(
    `gap-${brain.split(' ')[0]}`,
    `Response latency, ${brain}: share of ${found.length} questions answered within`,
    sharesPlot('response latency, ms', [{ name: brain, values: all }], 1100),
  );
}

export const waitsOf = (found: readonly ResponseLatency[]): Wait[] =>
  withoutBrain(found).map((ms, at) => ({
    ms,
    words: found[at]?.words ?? null,
    turnSeconds: found[at]?.turnSeconds ?? 0,
  }));

function writeParts(report: Report, found: readonly ResponseLatency[], all: readonly number[]): void {
  const part = (name: string) => found.map(({ parts }) => parts[name] ?? 0);
  const rows = [
    ['endpoint', part('endpoint')],
    ['final words', part('asr')],
    ['brain', part('brain')],
    ['first audio', part('tts')],
    ['line, playout, and what the record has of the end of speech', beyondRecord(found)],
    ['all, the brain’s delay left out', all],
    ['all', found.map(({ wholeMs }) => wholeMs)],
  ] as const;
  report.table(
    ['part', 'p50', 'p95', 'p99', 'longest'],
    rows.map(([name, ms]) => [name, at(0.5, ms), at(0.95, ms), at(0.99, ms), at(1, ms)]),
  );
}

const beyondRecord = (found: readonly ResponseLatency[]): number[] =>
  found.map(({ wholeMs, parts }) => wholeMs - (parts.total ?? 0));

function writeRecord(report: Report, found: readonly ResponseLatency[], brain: string): void {
  const apart = beyondRecord(found).map(Math.abs);
  const name = `turn.total of the record against the caller’s own response latency, ${brain}`;
  report.figure({ name: `${name}, apart, p50`, value: at(0.5, apart), unit: 'ms' });
  report.figure({ name: `${name}, apart, p95`, value: at(0.95, apart), unit: 'ms' });
  const whole = found.map(({ wholeMs }) => wholeMs);
  const reported = found.map(({ parts }) => parts.total ?? 0);
  report.text(
    `With the brain’s delay in it the caller’s gap has a p50 of ${at(0.5, whole)} and a p95 of ${at(0.95, whole)} ms; the record’s ` +
      `\`total\` of the same turns has ${at(0.5, reported)} and ${at(0.95, reported)}.`,
  );
}

function writeDelays(report: Report, found: readonly ResponseLatency[], all: readonly number[]): void {
  const delays = [...new Set(found.map(({ delayMs }) => delayMs))];
  if (delays.length < 2) return;
  report.table(
    [
      'delay of the brain',
      'questions',
      'response latency p50',
      'response latency p95',
      'with the delay p50',
      'p95',
    ],
    delays.map((delay) => {
      const some = found.filter(({ delayMs }) => delayMs === delay);
      const gap = all.filter((_, which) => found[which]?.delayMs === delay);
      const whole = some.map(({ wholeMs }) => wholeMs);
      return [`${delay} ms`, some.length, at(0.5, gap), at(0.95, gap), at(0.5, whole), at(0.95, whole)];
    }),
  );
}
