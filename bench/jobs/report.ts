import { join } from 'node:path';
import { barPlot, linePlot, type Report } from '../harness/index.ts';
import type { PartStore, StoredPart } from '../hear/parts.ts';
import type { Rate } from './deliveries.ts';
import type { PyannoteErrors } from './diarization-errors.ts';
import type { QueueCost } from './queue-cost.ts';
import type { Mixture, MixtureKind, SpeakersData } from './speakers.ts';
import type { Throughput } from './transcriptions.ts';

/** The recording is 33.6 s of read speech at 8 kHz. */
export const RECORDING = join(
  process.cwd(),
  '../shared/speech/open_speech_repository/OSR_us_000_0034_8k.wav',
);
const RECORDING_SECONDS = 33.6;

export function writeReport(report: Report, store: PartStore): void {
  report.text(
    'Each part can be run alone (`npm run bench -- jobs queue`); what it measured is kept under `build-bench` until it is run again.',
  );
  reportStage<readonly QueueCost[]>(report, store, 'queue', 'The queue', aboutQueue);
  reportStage<readonly Rate[]>(report, store, 'deliveries', 'Webhooks', aboutDeliveries);
  reportStage<readonly Throughput[]>(
    report,
    store,
    'transcriptions',
    'Transcription jobs',
    aboutTranscriptions,
  );
  reportStage<SpeakersData>(report, store, 'speakers', 'Speakers', aboutSpeakers);
}

function reportStage<Data>(
  report: Report,
  store: PartStore,
  part: string,
  heading: string,
  about: (report: Report, data: Data) => void,
): void {
  report.heading(heading);
  const stored: StoredPart<Data> | undefined = store.read<Data>(part);
  if (!stored) return void report.text('Not measured.');
  about(report, stored.data);
  report.text(`Measured ${stored.measured}.`);
}

function aboutQueue(report: Report, costs: readonly QueueCost[]): void {
  report.text(
    'Medians of single calls, one after another, each in a transaction of its own that is durable when it is answered. ' +
      'A claim finds whose turn it is between the tenants that wait.',
  );
  for (const { place, waiting, tenants, empty, full, boss } of costs) {
    const label = `${waiting.toLocaleString('en-US')} waiting of ${tenants} tenants`;
    const peer = (value: number | undefined) =>
      value === undefined ? {} : { peer: 'pg-boss 10.4.2, as many waiting, no tenants', peerValue: value };
    if (tenants === 20) {
      report.figure({ name: `${place}: accept a job, none waiting`, value: empty.enqueue, unit: 'ms' });
      const name = `${place}: claim and complete a job, none else waiting`;
      report.figure({ name, value: empty.cycle, unit: 'ms' });
    }
    const accept = { name: `${place}: accept a job, ${label}`, value: full.enqueue, unit: 'ms' };
    report.figure({ ...accept, ...peer(boss?.enqueue) });
    const claim = { name: `${place}: claim and complete a job, ${label}`, value: full.cycle, unit: 'ms' };
    report.figure({ ...claim, goal: { atMost: 10 }, ...peer(boss?.cycle) });
  }
  report.plot(
    'claim',
    'Claiming and completing one job while others wait',
    barPlot({
      title: 'Claim and complete a job',
      unit: 'ms, median',
      series: ['this queue', 'pg-boss'],
      groups: costs.map(({ place, tenants, full, boss }) => ({
        label: `${place}, ${tenants} tenants`,
        values: [full.cycle, boss?.cycle ?? null],
        goal: 10,
      })),
    }),
  );
}

function aboutDeliveries(report: Report, rates: readonly Rate[]): void {
  for (const { place, to, perSecond } of rates) {
    const name = `${place}: deliveries to ${to}`;
    report.figure({ name, value: perSecond, unit: '1/s', goal: { atLeast: 100 } });
  }
  const places = [...new Set(rates.map(({ place }) => place))];
  report.plot(
    'deliveries',
    'Deliveries a second, alone and beside receivers that never answer',
    barPlot({
      title: 'Webhook deliveries',
      unit: '1/s',
      series: ['all receivers answer', 'beside silent receivers'],
      groups: places.map((label) => ({
        label,
        values: rates.filter(({ place }) => place === label).map(({ perSecond }) => perSecond),
      })),
    }),
  );
}

function aboutTranscriptions(report: Report, measured: readonly Throughput[]): void {
  report.text(
    `Whole jobs of ${RECORDING_SECONDS} s through the real decoder and engine, all waiting at the beginning.`,
  );
  const perHour = ({ jobs, seconds }: Throughput) => (jobs / seconds) * 3600;
  const factor = ({ jobs, seconds }: Throughput) => seconds / (jobs * RECORDING_SECONDS);
  for (const one of measured) {
    const label = `${one.workers} ${one.workers === 1 ? 'worker' : 'workers'}`;
    const name = `jobs of ${RECORDING_SECONDS} s an hour, ${label}`;
    report.figure({ name, value: perHour(one), unit: '1/h' });
    const together = { name: `real-time factor of all together, ${label}`, value: factor(one), unit: 's/s' };
    report.figure({ ...together, goal: { atMost: 0.5 } });
  }
  const plane = (title: string, y: string, value: (one: Throughput) => number) =>
    linePlot({
      title,
      x: { label: 'workers', min: 0 },
      y: { label: y, min: 0 },
      series: [{ name: 'this machine', points: measured.map((one) => ({ x: one.workers, y: value(one) })) }],
    });
  report.plot('per-hour', 'Jobs an hour by worker count', plane('Jobs an hour', '1/h', perHour));
  report.plot(
    'factor',
    'Real-time factor by worker count',
    plane('Seconds for a second of audio', 's/s', factor),
  );
}

function aboutSpeakers(report: Report, { mixtures, conversations }: SpeakersData): void {
  report.text(
    'Recordings of single people, cut together in turns with pauses of half a second, as one job with `diarize`. ' +
      'No limit of the diarization was chosen by what these people say. ' +
      'Who speaks when is known from the cutting. Names are matched so that as little as possible is wrong; what is ' +
      'said in nobody’s segment is not counted. By telephone: at 8 kHz, u-law and back.',
  );
  for (const narrow of [false, true]) {
    const band = narrow ? 'by telephone' : 'wide band';
    const goal = { atMost: narrow ? 10 : 7 };
    const of = (kind: MixtureKind) => mixtures.filter((one) => one.kind === kind && one.narrow === narrow);
    const turns = of('turns');
    if (turns.length > 0) {
      report.figure({
        name: `speech under a wrong speaker, ${band}`,
        value: wrongShare(turns),
        unit: '%',
        goal,
      });
      const right = turns.filter(({ people, found }) => people === found).length;
      const name = `mixtures in which the number of people was found, ${band}, of ${turns.length}`;
      report.figure({ name, value: right, unit: '' });
    }
    const pairs = of('told');
    if (pairs.length > 0) {
      const name = `speech under a wrong speaker, ${band}, ${pairs.length} pairs, told that there are two`;
      report.figure({ name, value: wrongShare(pairs), unit: '%', goal: { atMost: 0 } });
    }
    const short = of('short');
    if (short.length > 0) {
      const name = `short answers under the name of who asked, ${band}, ${short.length} pairs`;
      report.figure({ name, value: share(short, 'lost', 'short'), unit: '%' });
    }
    aboutErrors(report, turns, band);
  }
  report.table(
    ['kind', 'people', 'band', 'found', 'speech, s', 'wrong, s', 'DER, %'],
    mixtures.map(({ kind, people, narrow, found, speech, wrong, errors }) => [
      kind,
      String(people),
      narrow ? 'telephone' : 'wide',
      String(found),
      speech.toFixed(1),
      wrong.toFixed(1),
      errors ? (errors.der * 100).toFixed(1) : 'not measured',
    ]),
  );
  for (const { name, people, found, turns } of conversations) {
    report.text(`A real conversation of ${people} (${name}): ${found} found, in ${turns} turns.`);
  }
}

const sumOf = (some: readonly Mixture[], of: (mixture: Mixture) => number): number =>
  some.reduce((all, one) => all + of(one), 0);

const share = (some: readonly Mixture[], part: 'wrong' | 'lost', whole: 'speech' | 'short'): number =>
  (sumOf(some, (one) => one[part]) / sumOf(some, (one) => one[whole])) * 100;

const wrongShare = (some: readonly Mixture[]): number => share(some, 'wrong', 'speech');

function aboutErrors(report: Report, turns: readonly Mixture[], band: string): void {
  if (turns.length === 0 || !turns.every(({ errors }) => errors)) return;
  const mean = (of: (errors: PyannoteErrors) => number, own: 'errors' | 'peerErrors') =>
    (sumOf(turns, (one) => of(one[own] as PyannoteErrors)) / turns.length) * 100;
  const withPeer = turns.every(({ peerErrors }) => peerErrors);
  const parts = { 'diarization error rate': 'der', 'speaker confusion': 'confusion' } as const;
  for (const [name, part] of Object.entries(parts)) {
    report.figure({
      name: `${name} (pyannote.metrics, collar 0.25 s), ${band}`,
      value: mean((errors) => errors[part], 'errors'),
      unit: '%',
      ...(withPeer ? { peer: 'diarize 0.1.2', peerValue: mean((errors) => errors[part], 'peerErrors') } : {}),
    });
  }
}
