/** What the parts about streams say. */
import { type FigureInput, linePlot, percentile, type Report } from '../harness/index.ts';
import type { Kept } from './parts.ts';
import { ENDPOINTING_MS, LEAD_SECONDS, type StreamsData, TAIL_SECONDS, type Told } from './streams.ts';
import { pooled } from './words.ts';

export const LATE_MS = 1000;

const known = (told: readonly Told[], of: (one: Told) => number | null) =>
  told.map(of).filter((value) => value !== null);
export const ms = (values: readonly number[], share: number) =>
  values.length === 0 ? Number.NaN : percentile(values, share);
const show = (value: number) => (Number.isFinite(value) ? Math.round(value).toString() : '-');
export const toFinals = (data: StreamsData) => known(data.told, (one) => one.toFinal);
const share = (told: readonly Told[], which: (one: Told) => boolean) =>
  told.filter(which).length / Math.max(1, told.length);
const wrongFirst = (one: Told) => one.partialed && one.firstPartial === null;

const COLUMNS = [
  'line',
  'clips',
  'word error',
  'to final p50',
  'p95',
  'p99',
  'endpoint p50',
  'p95',
  'not finalised',
  'cut short',
  'false endpoints',
  'first partial p50',
  'p95',
  'wrong first',
  'word shown p50',
  'p95',
];

export function reportStreams(
  report: Report,
  wide: Kept<StreamsData> | undefined,
  telephone: Kept<StreamsData> | undefined,
): void {
  report.heading('Streams at real time');
  const all = [
    { name: '16 kHz', kept: wide },
    { name: '8 kHz u-law', kept: telephone },
  ].filter((one): one is { name: string; kept: Kept<StreamsData> } => one.kept !== undefined);
  report.text(
    `Each clip has ${LEAD_SECONDS} s of silence before and ${TAIL_SECONDS} s after it; endpointing_ms=${ENDPOINTING_MS}, language=en, ${all[0]!.kept.data.streams} streams at once. The true end is that of the clean recording's level (35 dB under its 95th percentile, two guard frames). Times in ms from the true end (finals, endpoints), the true start (first partials) or the word's end. A clip is cut short when an endpoint comes before its true end; a first partial is wrong when its first word is not the text's.`,
  );
  report.table(
    COLUMNS,
    all.map(({ name, kept }) => rowOf(name, kept.data.told)),
  );
  for (const { name, kept } of all) report.text(`${name}: measured ${kept.measured}.`);
  for (const { name, kept } of all) figures(report, name, kept.data, kept === wide);
  report.plot('to-final', 'Share of utterances whose final came within a time', finalPlot(all));
}

function rowOf(name: string, told: readonly Told[]): (string | number)[] {
  const toFinal = known(told, (one) => one.toFinal);
  const toEndpoint = known(told, (one) => one.toEndpoint);
  const first = known(told, (one) => one.firstPartial);
  const emission = told.flatMap((one) => one.emission);
  return [
    name,
    told.length,
    `${(pooled(told) * 100).toFixed(1)} %`,
    ...[0.5, 0.95, 0.99].map((at) => show(ms(toFinal, at))),
    ...[0.5, 0.95].map((at) => show(ms(toEndpoint, at))),
    told.filter((one) => one.toFinal === null).length,
    told.filter((one) => one.falseEndpoints > 0).length,
    told.reduce((sum, one) => sum + one.falseEndpoints, 0),
    ...[0.5, 0.95].map((at) => show(ms(first, at))),
    `${told.filter(wrongFirst).length} of ${told.filter((one) => one.partialed).length}`,
    ...[0.5, 0.95].map((at) => show(ms(emission, at))),
  ];
}

/** Goals are for the wide line. What was never seen has no value: the table says so, and no figure is made up. */
function figures(report: Report, name: string, { told }: StreamsData, goals: boolean): void {
  const toFinal = known(told, (one) => one.toFinal);
  const first = known(told, (one) => one.firstPartial);
  const figure = (input: FigureInput) => {
    if (!Number.isFinite(input.value)) return;
    const { goal, ...rest } = input;
    report.figure(goals && goal ? { ...rest, goal } : rest);
  };
  const part = { unit: 'of clips' };
  figure({ name: `word error, streams, ${name}`, value: pooled(told), unit: 'of words' });
  figure({
    name: `time to final p50, ${name}`,
    value: ms(toFinal, 0.5),
    unit: 'ms',
    goal: { atMost: 350 },
  });
  figure({
    name: `time to final p95, ${name}`,
    value: ms(toFinal, 0.95),
    unit: 'ms',
    goal: { atMost: 600 },
  });
  figure({ name: `time to final p99, ${name}`, value: ms(toFinal, 0.99), unit: 'ms' });
  figure({
    name: `utterances not finalised, ${name}`,
    value: share(told, (one) => one.toFinal === null),
    ...part,
    goal: { atMost: 0 },
  });
  figure({
    name: `utterances cut short, ${name}`,
    value: share(told, (one) => one.falseEndpoints > 0),
    ...part,
    goal: { atMost: 0.05 },
  });
  figure({
    name: `first partial with the right first word p50, ${name}`,
    value: ms(first, 0.5),
    unit: 'ms',
    goal: { atMost: 800 },
  });
  figure({
    name: `first partials with a wrong first word, ${name}`,
    value: share(told, wrongFirst),
    ...part,
  });
  figure({
    name: `word shown after it was said p50, ${name}`,
    value: ms(
      told.flatMap((one) => one.emission),
      0.5,
    ),
    unit: 'ms',
  });
}

const finalPlot = (all: readonly { name: string; kept: Kept<StreamsData> }[]): string =>
  linePlot({
    title: 'Time to final',
    x: { label: 'ms after the true end' },
    y: { label: '% of utterances' },
    series: all.map(({ name, kept }) => {
      const sorted = [...toFinals(kept.data)].sort((a, b) => a - b);
      return {
        name,
        points: sorted.map((x, at) => ({ x, y: ((at + 1) / Math.max(1, kept.data.told.length)) * 100 })),
      };
    }),
  });

export function reportDensity(report: Report, { measured, data }: Kept<StreamsData[]>): void {
  report.heading('Streams at once');
  report.text(
    `Callers who speak without rest, each clip with its silence before and after, on one server. Measured ${measured}.`,
  );
  const p99 = (one: StreamsData) => ms(toFinals(one), 0.99);
  report.table(
    [
      'streams at once',
      'clips',
      'not finalised',
      'to final p50',
      'p99',
      'first partial p50',
      'of a core a stream',
    ],
    data.map((one) => [
      one.streams,
      one.told.length,
      one.told.filter((told) => told.toFinal === null).length,
      show(ms(toFinals(one), 0.5)),
      show(p99(one)),
      show(
        ms(
          known(one.told, (told) => told.firstPartial),
          0.5,
        ),
      ),
      `${(one.cpuEach * 100).toFixed(1)} %`,
    ]),
  );
  report.plot(
    'density',
    'Time to final against streams at once',
    linePlot({
      title: 'Time to final, p99',
      x: { label: 'streams at once' },
      y: { label: 'ms' },
      series: [{ name: 'p99', points: data.map((one) => ({ x: one.streams, y: p99(one) })) }],
      goals: [{ y: LATE_MS, label: '1 s' }],
    }),
  );
  const whole = (one: StreamsData) => one.told.every((told) => told.toFinal !== null);
  const best = data.filter((one) => p99(one) < LATE_MS && whole(one)).at(-1);
  report.figure({
    name: 'English streams at once with p99 time to final under 1 s',
    value: best?.streams ?? 0,
    unit: 'streams',
    goal: { atLeast: 8 },
  });
  if (best) {
    report.figure({
      name: `processor a stream, ${best.streams} at once`,
      value: best.cpuEach,
      unit: 'of a core',
    });
  }
}
