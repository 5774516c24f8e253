import { percentile, percentileInterval, shareInterval } from '../caller/index.ts';
import type { MeasuredCalls } from './measure-calls.ts';

export interface Measurement {
  readonly format: 'trunkline-measure/1';
  readonly protocol: string;
  readonly target: string;
  readonly measured_at: string;
  readonly calls: number;
  readonly first_word_ms: readonly number[];
  readonly gap_ms: readonly number[];
  readonly unanswered: number;
  readonly duck_ms: readonly number[];
  readonly cut_ms: readonly number[];
  readonly missed: number;
  readonly false_cuts: number;
  readonly listening: number;
}

const numbers = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value) => (value === null ? [] : [Math.round(value)]));

export function measurementOf(
  about: Pick<Measurement, 'protocol' | 'target' | 'measured_at'>,
  calls: readonly MeasuredCalls[],
): Measurement {
  const gaps = calls.flatMap(({ gapsMs }) => gapsMs);
  const cuts = calls.flatMap(({ cutMs }) => cutMs);
  const listening = calls.flatMap(({ falseInterruptions }) => falseInterruptions);
  return {
    format: 'trunkline-measure/1',
    ...about,
    calls: calls.length,
    first_word_ms: numbers(calls.map(({ firstWordMs }) => firstWordMs)),
    gap_ms: numbers(gaps),
    unanswered: gaps.filter((gap) => gap === null).length,
    duck_ms: numbers(calls.flatMap(({ duckMs }) => duckMs)),
    cut_ms: numbers(cuts),
    missed: cuts.filter((cut) => cut === null).length,
    false_cuts: listening.filter(Boolean).length,
    listening: listening.length,
  };
}

export function readMeasurement(text: string, file: string): Measurement {
  let read: Measurement;
  try {
    read = JSON.parse(text) as Measurement;
  } catch {
    throw new Error(`${file}: it is not JSON`);
  }
  if (read.format !== 'trunkline-measure/1') throw new Error(`${file} is not a measurement of this kind`);
  return read;
}

function shown(values: readonly number[], share: number): string {
  if (values.length === 0) return 'not measured';
  const { from, to } = percentileInterval(values, share);
  return `${percentile(values, share)} ms (${from ?? '…'} to ${to ?? '…'}, n ${values.length})`;
}

function share(count: number, of: number): string {
  if (of === 0) return 'not measured';
  const { from, to } = shareInterval(count, of);
  const percent = (value: number) => (100 * value).toFixed(0);
  return `${count} of ${of} (${percent(from)} to ${percent(to)} %)`;
}

export const figuresOf = (one: Measurement): [string, string][] => [
  ['first word, p50', shown(one.first_word_ms, 0.5)],
  ['response latency, p50', shown(one.gap_ms, 0.5)],
  ['response latency, p95', shown(one.gap_ms, 0.95)],
  ['unanswered', share(one.unanswered, one.unanswered + one.gap_ms.length)],
  ['duck, p50', shown(one.duck_ms, 0.5)],
  ['interruption latency, p50', shown(one.cut_ms, 0.5)],
  ['interruption latency, p95', shown(one.cut_ms, 0.95)],
  ['interruptions missed', share(one.missed, one.missed + one.cut_ms.length)],
  ['false interruptions', share(one.false_cuts, one.listening)],
];

const PLOTTED = [
  ['first_word_ms', 'first word'],
  ['gap_ms', 'response latency'],
  ['duck_ms', 'duck'],
  ['cut_ms', 'interruption latency'],
] as const;
const COLOURS = ['#0b5fa5', '#c8501e'];

export function plot(measurements: readonly Measurement[]): string {
  const rows = PLOTTED.flatMap(([field, name]) =>
    measurements.map((one, at) => ({ name, at, values: one[field] })),
  );
  const most = Math.max(1000, ...rows.flatMap(({ values }) => values));
  const [left, width, step] = [150, 640, 30];
  const x = (value: number) => (left + (Math.max(0, value) / most) * width).toFixed(1);
  const height = rows.length * step + 60;
  const parts = rows.flatMap(({ name, at, values }, row) => {
    const y = 30 + row * step;
    const label = `<text x="${left - 10}" y="${y + 4}" text-anchor="end">${name}${measurements.length > 1 ? ` ${'AB'[at]}` : ''}</text>`;
    const dots = values.map(
      (value) => `<circle cx="${x(value)}" cy="${y}" r="4" fill="${COLOURS[at]}" fill-opacity=".5"/>`,
    );
    return [label, ...dots];
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (at) =>
      `<text x="${x(at * most)}" y="${height - 15}" text-anchor="middle">${Math.round(at * most)} ms</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + 60}" height="${height}" font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>${[...parts, ...ticks].join('')}</svg>\n`;
}
