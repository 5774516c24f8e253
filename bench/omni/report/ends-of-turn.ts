import { percentile, type Report } from '../../harness/index.ts';

export interface Pause {
  readonly language: string;
  readonly clip: string;
  /** The length of the whole recording, from the first sound to the last. */
  readonly seconds: number;
  /** The caller has finished. Otherwise the caller goes on after the pause. */
  readonly last: boolean;
  readonly pauseMs: number;
  /** How much later than the level the detector shows the end of speech. */
  readonly lateMs: number;
  /** After how much of the pause a call ends the turn, by its endpointing in milliseconds; -1: it does not. */
  readonly waitedMs: Readonly<Record<string, number>>;
  /** The model gives this probability of an end after so many milliseconds of the pause. */
  readonly finished: Readonly<Record<string, number>>;
}

interface Outcome {
  /** The share of pauses in which a caller who goes on is cut off. */
  readonly cutOff: number;
  readonly delays: readonly number[];
}

type Wait = (pause: Pause) => number;

const NEVER = Number.POSITIVE_INFINITY;
const NORMAL = '500';
const GOAL_P50_MS = 350;
const GOAL_CUT_OFF = 5;
const QUICK_DELAY_MS = 300;
const THRESHOLDS = [0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.975, 0.98, 0.985, 0.99];
const ACTION_DELAYS_MS = [96, 192, 288, 384, 480, 576];
const TIMEOUTS_MS = [200, 300, 400, 500, 600, 700, 800, 1000, 1200, 1600, 2000, 3000];

const mean = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length;

function outcomeOf(pauses: readonly Pause[], wait: Wait): Outcome {
  const holds = pauses.filter(({ last }) => !last);
  return {
    cutOff: holds.filter((pause) => pause.pauseMs > wait(pause)).length / holds.length,
    delays: pauses.filter(({ last }) => last).map(wait),
  };
}

const setting =
  (endpointing: string): Wait =>
  ({ waitedMs }) =>
    (waitedMs[endpointing] as number) < 0 ? NEVER : (waitedMs[endpointing] as number);

function finishedAt({ finished }: Pause, ms: number): number {
  const asked = Object.keys(finished)
    .map(Number)
    .filter((at) => at <= ms);
  return asked.length === 0 ? 0 : (finished[Math.max(...asked)] as number);
}

const modelAlone =
  (threshold: number, delayMs: number, timeoutMs: number): Wait =>
  (pause) =>
    finishedAt(pause, delayMs) >= threshold ? delayMs : Math.max(delayMs, timeoutMs);

const silence =
  (ms: number): Wait =>
  () =>
    ms;

const PRODUCT = (pauses: readonly Pause[]): Wait[] => Object.keys(pauses[0]?.waitedMs ?? {}).map(setting);
const MODEL_ALONE = (): Wait[] =>
  THRESHOLDS.flatMap((threshold) =>
    ACTION_DELAYS_MS.flatMap((delay) => TIMEOUTS_MS.map((timeout) => modelAlone(threshold, delay, timeout))),
  );
const SILENCE = (): Wait[] => TIMEOUTS_MS.map(silence);

/** The measures of eot-bench: the best setting within a budget of the other measure. */
function operatingPoints(pauses: readonly Pause[], waits: readonly Wait[]) {
  const outcomes = waits.map((wait) => outcomeOf(pauses, wait));
  const best = (values: number[]) => (values.length === 0 ? null : Math.min(...values));
  return {
    cutOffAt300: best(
      outcomes.filter(({ delays }) => mean(delays) <= QUICK_DELAY_MS).map(({ cutOff }) => 100 * cutOff),
    ),
    delayAt5: best(
      outcomes.filter(({ cutOff }) => 100 * cutOff <= GOAL_CUT_OFF).map(({ delays }) => mean(delays)),
    ),
  };
}

const CLASSES: readonly [string, (pause: Pause) => boolean][] = [
  ['English, turns of up to 2 s', ({ language, seconds }) => language === 'en' && seconds <= 2],
  ['English, turns of 2 to 4 s', ({ language, seconds }) => language === 'en' && seconds > 2 && seconds <= 4],
  ['English, turns of 4 to 9 s', ({ language, seconds }) => language === 'en' && seconds > 4 && seconds <= 9],
  ['English, longer: read and announced', ({ language, seconds }) => language === 'en' && seconds > 9],
  ['German', ({ language }) => language === 'de'],
  ['Spanish', ({ language }) => language === 'es'],
  ['French', ({ language }) => language === 'fr'],
  ['Italian', ({ language }) => language === 'it'],
  ['Portuguese', ({ language }) => language === 'pt'],
  ['Dutch', ({ language }) => language === 'nl'],
];

/** pipecat asks the model after 200 ms and waits for three seconds of silence where it says that the turn goes on. */
const PIPECAT = modelAlone(0.5, 192, 3000);

export function writeEndsOfTurn(report: Report, pauses: readonly Pause[]): void {
  const turns = pauses.filter(({ seconds }) => seconds <= 9);
  const normal = outcomeOf(turns, setting(NORMAL));
  const pipecat = outcomeOf(turns, PIPECAT);
  report.figure({
    name: 'turns of up to 9 s: wait for the end, p50',
    value: percentile(normal.delays, 0.5),
    unit: 'ms',
    goal: { atMost: GOAL_P50_MS },
    peer: 'pipecat with Smart Turn',
    peerValue: percentile(pipecat.delays, 0.5),
  });
  report.figure({
    name: 'turns of up to 9 s: pauses in which the caller is cut off',
    value: 100 * normal.cutOff,
    unit: `% of ${turns.filter(({ last }) => !last).length}`,
    goal: { atMost: GOAL_CUT_OFF },
    peer: 'pipecat with Smart Turn',
    peerValue: 100 * pipecat.cutOff,
  });
  report.figure({
    name: 'how much later the detector shows the end of speech than its level, p50',
    value: percentile(
      turns.filter(({ last }) => last).map(({ lateMs }) => lateMs),
      0.5,
    ),
    unit: 'ms',
  });
  report.text(
    'Recordings of people at 8 kHz u-law, each one turn; pauses of 100 ms and more. The last pause of a recording is the end of the turn, ' +
      'and in every other one the caller goes on: a call that ends the turn there cuts the caller off. The measures are those of eot-bench: cut-offs as a share of ' +
      'such pauses, and the time from the beginning of the last silence, as the detector sees it, until the turn ends. Nothing is added for ' +
      'computing but the 64 ms after which a call has the model’s answer. Long recordings are read or announced: their sentences end with pauses in which ' +
      'any listener might take the turn. The curve of the wait was chosen on English recordings that are among these (decision 151).',
  );
  report.heading('At the default setting');
  const columns = [
    'recordings',
    'turns',
    'pauses within',
    'cut off',
    'p50',
    'p95',
    'fixed 500 ms: cut off',
    'pipecat with Smart Turn: cut off',
    'p50',
    'p95',
  ];
  report.table(
    columns,
    CLASSES.flatMap(([name, is]) => {
      const some = pauses.filter(is);
      const ends = some.filter(({ last }) => last).length;
      if (ends === 0) return [];
      const product = outcomeOf(some, setting(NORMAL));
      const peer = outcomeOf(some, PIPECAT);
      return [
        [
          name,
          ends,
          some.length - ends,
          shareText(product.cutOff),
          Math.round(percentile(product.delays, 0.5)),
          Math.round(percentile(product.delays, 0.95)),
          shareText(outcomeOf(some, silence(500)).cutOff),
          shareText(peer.cutOff),
          Math.round(percentile(peer.delays, 0.5)),
          Math.round(percentile(peer.delays, 0.95)),
        ],
      ];
    }),
  );
  report.heading('eot-bench’s operating points');
  report.text(
    'The best setting within a budget: cut-offs where the mean wait is 300 ms at most, and the mean wait where 5 % of pauses are cut off at most. ' +
      'The product is swept by its `endpointing`, from 200 to 1,600 ms. The model alone and silence alone are swept as eot-bench sweeps them, by threshold, delay and timeout, ' +
      'with the best of some thousand settings for each row, so that they are chosen on what they are measured with.',
  );
  report.table(
    [
      'recordings',
      'product: cut off at 300 ms',
      'Smart Turn alone',
      'silence alone',
      'product: wait at 5 %',
      'Smart Turn alone',
      'silence alone',
    ],
    [['turns of up to 9 s', turns] as const, ['all', pauses] as const].map(([name, some]) => {
      const points = [PRODUCT(some), MODEL_ALONE(), SILENCE()].map((waits) => operatingPoints(some, waits));
      return [
        name,
        ...points.map(({ cutOffAt300 }) => (cutOffAt300 === null ? '-' : `${cutOffAt300.toFixed(1)} %`)),
        ...points.map(({ delayAt5 }) => (delayAt5 === null ? '-' : Math.round(delayAt5))),
      ];
    }),
  );
}

const shareText = (share: number): string => (Number.isNaN(share) ? '-' : `${(100 * share).toFixed(1)} %`);
