import { type FigureInput, linePlot, percentile, type Report } from '../harness/index.ts';
import type { StoredPart } from './parts.ts';
import {
  type ConcurrentStreamsData,
  ENDPOINTING_MS,
  LEAD_SECONDS,
  type StreamMeasurement,
  type StreamsData,
  TAIL_SECONDS,
} from './streams.ts';
import { pooled } from './words.ts';

export const LATE_MS = 1000;

const known = (streamed: readonly StreamMeasurement[], of: (one: StreamMeasurement) => number | null) =>
  streamed.map(of).filter((value) => value !== null);
export const ms = (values: readonly number[], share: number) =>
  values.length === 0 ? Number.NaN : percentile(values, share);
const show = (value: number) => (Number.isFinite(value) ? Math.round(value).toString() : '-');
export const toFinals = (data: StreamsData) => known(data.streamed, (one) => one.toFinal);
/** Returns whether every stream had its final, and 99 of a hundred within a second. */
export const inTime = (data: StreamsData): boolean =>
  data.streamed.length > 0 &&
  data.streamed.every(({ toFinal }) => toFinal !== null) &&
  ms(toFinals(data), 0.99) < LATE_MS;
const share = (streamed: readonly StreamMeasurement[], which: (one: StreamMeasurement) => boolean) =>
  streamed.filter(which).length / Math.max(1, streamed.length);
/** A clip without one counts as an infinite delay. */
const orNever = (streamed: readonly StreamMeasurement[], of: (one: StreamMeasurement) => number | null) =>
  streamed.map((one) => of(one) ?? Number.POSITIVE_INFINITY);
const emissions = (streamed: readonly StreamMeasurement[]) => streamed.flatMap((one) => one.emission);

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
  'right first word p50',
  'p75',
  'never right',
  'wrong first',
  'word shown p50',
  'p95',
  'of a core a stream',
];

export function reportStreams(
  report: Report,
  wide: StoredPart<StreamsData> | undefined,
  telephone: StoredPart<StreamsData> | undefined,
): void {
  report.heading('Streams at real time');
  const all = [
    { name: '16 kHz', stored: wide },
    { name: '8 kHz u-law', stored: telephone },
  ].filter((one): one is { name: string; stored: StoredPart<StreamsData> } => one.stored !== undefined);
  report.text(
    `Each clip has ${LEAD_SECONDS} s of silence before and ${TAIL_SECONDS} s after it; endpointing_ms=${ENDPOINTING_MS}, language=en, ${all[0]!.stored.data.streams} streams at once. The true end is that of the clean recording's level (35 dB under its 95th percentile, two guard frames). Times in ms from the true end (finals, endpoints), the true start (partials) or the word's end. A clip is cut short when an endpoint comes before its true end. A first partial is wrong when its first word is not the text's; the right first word is that of the first partial that shows it, and a clip that never shows it counts as one that waits for ever.`,
  );
  report.table(
    COLUMNS,
    all.map(({ name, stored }) => rowOf(name, stored.data)),
  );
  for (const { name, stored } of all) report.text(`${name}: measured ${stored.measured}.`);
  for (const { name, stored } of all) figures(report, name, stored.data, stored === wide);
  report.plot('to-final', 'Share of utterances whose final came within a time', finalPlot(all));
  report.plot('first-partial', 'Share of clips whose first words were shown within a time', partialPlot(all));
  report.plot('word-shown', 'Share of words that were shown within a time', emissionPlot(all));
}

function rowOf(name: string, { streamed, cpuEach }: StreamsData): (string | number)[] {
  const toFinal = known(streamed, (one) => one.toFinal);
  const toEndpoint = known(streamed, (one) => one.toEndpoint);
  const first = known(streamed, (one) => one.firstPartial);
  const right = orNever(streamed, (one) => one.firstRight);
  const emission = emissions(streamed);
  return [
    name,
    streamed.length,
    `${(pooled(streamed) * 100).toFixed(1)} %`,
    ...[0.5, 0.95, 0.99].map((at) => show(ms(toFinal, at))),
    ...[0.5, 0.95].map((at) => show(ms(toEndpoint, at))),
    streamed.filter((one) => one.toFinal === null).length,
    streamed.filter((one) => one.falseEndpoints > 0).length,
    streamed.reduce((sum, one) => sum + one.falseEndpoints, 0),
    show(ms(first, 0.5)),
    ...[0.5, 0.75].map((at) => show(ms(right, at))),
    streamed.filter((one) => one.firstRight === null).length,
    `${streamed.filter((one) => one.wrongFirst).length} of ${first.length}`,
    ...[0.5, 0.95].map((at) => show(ms(emission, at))),
    `${(cpuEach * 100).toFixed(1)} %`,
  ];
}

/** Goals apply to the wide line. A figure without a value is left out, and the table says so. */
function figures(report: Report, name: string, { streamed, cpuEach }: StreamsData, goals: boolean): void {
  const toFinal = known(streamed, (one) => one.toFinal);
  const figure = (input: FigureInput) => {
    if (!Number.isFinite(input.value)) return;
    const { goal, ...rest } = input;
    report.figure(goals && goal ? { ...rest, goal } : rest);
  };
  const part = { unit: 'of clips' };
  figure({ name: `word error, streams, ${name}`, value: pooled(streamed), unit: 'of words' });
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
    value: share(streamed, (one) => one.toFinal === null),
    ...part,
    goal: { atMost: 0 },
  });
  figure({
    name: `utterances cut short, ${name}`,
    value: share(streamed, (one) => one.falseEndpoints > 0),
    ...part,
    goal: { atMost: 0.05 },
  });
  figure({
    name: `first partial with the right first word p50, ${name}`,
    value: ms(
      orNever(streamed, (one) => one.firstRight),
      0.5,
    ),
    unit: 'ms',
    goal: { atMost: 800 },
  });
  figure({
    name: `first partials with a wrong first word, ${name}`,
    value: share(streamed, (one) => one.wrongFirst),
    ...part,
  });
  figure({
    name: `false endpoints, ${name}`,
    value: streamed.reduce((sum, one) => sum + one.falseEndpoints, 0),
    unit: 'endpoints',
  });
  figure({ name: `processor a stream, ${name}`, value: cpuEach, unit: 'of a core' });
  figure({
    name: `word shown after it was said p50, ${name}`,
    value: ms(emissions(streamed), 0.5),
    unit: 'ms',
  });
}

const within = (name: string, values: readonly number[], count: number) => {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  const step = Math.max(1, Math.floor(sorted.length / 100));
  return {
    name,
    points: sorted
      .map((x, at) => ({ x, y: ((at + 1) / Math.max(1, count)) * 100 }))
      .filter((_, at) => at % step === 0 || at === sorted.length - 1),
  };
};

const finalPlot = (all: readonly { name: string; stored: StoredPart<StreamsData> }[]): string =>
  linePlot({
    title: 'Time to final',
    x: { label: 'ms after the true end' },
    y: { label: '% of utterances' },
    series: all.map(({ name, stored }) => within(name, toFinals(stored.data), stored.data.streamed.length)),
  });

const partialPlot = (all: readonly { name: string; stored: StoredPart<StreamsData> }[]): string =>
  linePlot({
    title: 'Time to the first partial, and to the first whose first word is right',
    x: { label: 'ms after the true start' },
    y: { label: '% of clips' },
    series: all.flatMap(({ name, stored: { data } }) => [
      within(
        `${name}, any`,
        known(data.streamed, (one) => one.firstPartial),
        data.streamed.length,
      ),
      within(
        `${name}, right`,
        known(data.streamed, (one) => one.firstRight),
        data.streamed.length,
      ),
    ]),
  });

const emissionPlot = (all: readonly { name: string; stored: StoredPart<StreamsData> }[]): string =>
  linePlot({
    title: 'Words shown',
    x: { label: 'ms after the word was said' },
    y: { label: '% of words' },
    series: all.map(({ name, stored: { data } }) =>
      within(name, emissions(data.streamed), emissions(data.streamed).length),
    ),
  });

export function reportConcurrentStreams(
  report: Report,
  { measured, data }: StoredPart<ConcurrentStreamsData>,
): void {
  report.heading('Streams beside an upload');
  report.text(
    `The same callers twice, ${data.alone.streams} at once: alone, and while a long recording was uploaded again and again (${Math.round(data.uploaded)} s of it were recognized, the last upload not counted). Measured ${measured}.`,
  );
  const row = (name: string, one: StreamsData) => [
    name,
    one.streamed.length,
    one.streamed.filter((streamed) => streamed.toFinal === null).length,
    ...[0.5, 0.95, 0.99].map((at) => show(ms(toFinals(one), at))),
    show(
      ms(
        orNever(one.streamed, (streamed) => streamed.firstRight),
        0.5,
      ),
    ),
    show(ms(emissions(one.streamed), 0.5)),
  ];
  report.table(
    ['', 'clips', 'not finalised', 'to final p50', 'p95', 'p99', 'right first word p50', 'word shown p50'],
    [row('alone', data.alone), row('beside an upload', data.concurrent)],
  );
  for (const [at, atMost] of [
    [0.5, 350],
    [0.95, 600],
  ] as const) {
    report.figure({
      name: `time to final p${at * 100}, beside an upload`,
      value: ms(toFinals(data.concurrent), at),
      unit: 'ms',
      goal: { atMost },
    });
  }
}

export function reportDensity(report: Report, { measured, data }: StoredPart<StreamsData[]>): void {
  report.heading('Streams at once');
  report.text(
    `Callers who speak without rest, each clip with its silence before and after, on one server. What the server finds itself too small for it refuses (docs/decisions/084). Measured ${measured}.`,
  );
  const p99 = (one: StreamsData) => ms(toFinals(one), 0.99);
  report.table(
    [
      'streams at once',
      'clips',
      'refused',
      'not finalised',
      'to final p50',
      'p99',
      'right first word p50',
      'of a core a stream',
    ],
    data.map((one) => [
      one.streams,
      one.streamed.length,
      one.streamed.filter((streamed) => streamed.refused).length,
      one.streamed.filter((streamed) => streamed.toFinal === null && !streamed.refused).length,
      show(ms(toFinals(one), 0.5)),
      show(p99(one)),
      show(
        ms(
          orNever(one.streamed, (streamed) => streamed.firstRight),
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
  report.plot(
    'processor',
    'What a stream costs against streams at once',
    linePlot({
      title: 'Processor a stream',
      x: { label: 'streams at once' },
      y: { label: '% of a core' },
      series: [{ name: 'server', points: data.map((one) => ({ x: one.streams, y: one.cpuEach * 100 })) }],
    }),
  );
  const best = data.filter(inTime).at(-1);
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
