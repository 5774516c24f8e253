import { percentile, type Report } from '../../harness/index.ts';
import { KINDS, NOISE_DB, type NoisyCall } from '../noisy-calls.ts';

const NAMES = {
  talker: 'a second talker',
  television: 'television',
  cafe: 'café',
  street: 'noise of a street',
} as const;

const sum = (calls: readonly NoisyCall[], of: (call: NoisyCall) => number): number =>
  calls.reduce((total, call) => total + of(call), 0);

const share = (part: number, whole: number): number | null => (whole === 0 ? null : (100 * part) / whole);

function figuresOf(calls: readonly NoisyCall[]) {
  const known = calls.filter(({ othersSaid }) => othersSaid > 0);
  const times = calls.map(({ latencyMs }) => latencyMs).filter((ms) => ms >= 0);
  const peerTimes = calls.map(({ peerLatencyMs }) => peerLatencyMs).filter((ms) => ms >= 0);
  const listens = sum(calls, ({ listensMinutes }) => listensMinutes);
  return {
    cuts: sum(calls, ({ cuts }) => cuts) / listens,
    peerCuts: sum(calls, ({ peerCuts }) => peerCuts) / listens,
    others: sum(calls, ({ othersWords }) => othersWords),
    othersShare: share(
      sum(known, ({ othersWords }) => othersWords),
      sum(known, ({ othersSaid }) => othersSaid),
    ),
    wrong: share(
      sum(calls, ({ wrong }) => wrong),
      sum(calls, ({ callersWords }) => callersWords),
    ) as number,
    lost: share(
      sum(calls, ({ lostWords }) => lostWords),
      sum(calls, ({ saidWords }) => saidWords),
    ) as number,
    lateEnds: sum(calls, ({ lateEnds }) => lateEnds),
    turns: sum(calls, ({ turns }) => turns),
    missed: calls.length - times.length,
    p50: times.length === 0 ? null : percentile(times, 0.5),
    p95: times.length === 0 ? null : percentile(times, 0.95),
    peerP95: peerTimes.length === 0 ? null : percentile(peerTimes, 0.95),
  };
}

const rounded = (value: number | null): number | null =>
  value === null ? null : Math.round(value * 10) / 10;

export function writeNoise(report: Report, calls: readonly NoisyCall[]): void {
  report.text(
    'Callers of AN4, one at a time, at 8 kHz u-law: two turns, 15 s in which the agent speaks and the caller listens, an interruption, a turn ' +
      'and 5 s of silence, while something goes on behind, 10, 5 and 0 dB below the caller’s level. The television has read and announced ' +
      'English of several voices in turn; café and street are recordings of noise. Speakers and parts of noises are of the half on which ' +
      'nothing was chosen. The calls are played by the whole engine in virtual time, with text known 20 ms after it was asked for. pipecat’s rule ' +
      '(Silero at 0.7 for 200 ms) hears the same line. An interruption that follows a false one at once counts as it came. Words of others are ' +
      'those written while the caller says nothing, as a share of what the others said then, where that is known. ' +
      'Words of the caller that are lost are those of the turns and the interruption that are not in the text in their order; digits that were ' +
      'said as words count as lost with the lock and without.',
  );
  report.table(
    [
      'behind',
      'dB',
      'lock',
      'calls',
      'false interruptions a minute',
      'by pipecat’s rule',
      'words of others',
      'of theirs, %',
      'caller’s words wrong, %',
      'lost, %',
      'turns without text after 2 s',
      'interruptions missed',
      'p50 ms',
      'p95 ms',
    ],
    KINDS.flatMap((kind) =>
      NOISE_DB.flatMap((db) =>
        [false, true].flatMap((lock) => {
          const some = calls.filter((call) => call.kind === kind && call.db === db && call.lock === lock);
          if (some.length === 0) return [];
          const of = figuresOf(some);
          return [
            [
              NAMES[kind],
              db,
              lock ? 'on' : 'off',
              some.length,
              rounded(of.cuts),
              rounded(of.peerCuts),
              of.others,
              rounded(of.othersShare),
              rounded(of.wrong),
              rounded(of.lost),
              `${of.lateEnds} of ${of.turns}`,
              of.missed,
              of.p50,
              of.p95,
            ],
          ];
        }),
      ),
    ),
  );
  const [off, on] = [false, true].map((lock) => figuresOf(calls.filter((call) => call.lock === lock)));
  if (off === undefined || on === undefined) return;
  const peer = { peer: 'pipecat’s rule', peerValue: off.peerCuts };
  report.figure({
    name: 'false interruptions among others, lock off',
    value: off.cuts,
    unit: 'a minute',
    ...peer,
  });
  report.figure({
    name: 'false interruptions among others, lock on',
    value: on.cuts,
    unit: 'a minute',
    ...peer,
  });
  report.figure({
    name: 'words of others written, lock off',
    value: off.othersShare ?? 0,
    unit: '% of theirs',
  });
  report.figure({
    name: 'words of others written, lock on',
    value: on.othersShare ?? 0,
    unit: '% of theirs',
    goal: { atMost: 2 },
  });
  report.figure({
    name: 'caller’s words wrong, lock on against off',
    value: on.wrong - off.wrong,
    unit: 'points',
  });
  report.figure({
    name: 'caller’s words lost, lock on against off',
    value: on.lost - off.lost,
    unit: 'points',
    goal: { atMost: 1 },
  });
  report.figure({
    name: 'interruption p95 among others, lock off',
    value: off.p95 ?? 0,
    unit: 'ms',
    ...(off.peerP95 === null ? {} : { peer: 'pipecat’s rule', peerValue: off.peerP95 }),
  });
  report.figure({
    name: 'interruption p95 among others, lock on',
    value: on.p95 ?? 0,
    unit: 'ms',
    goal: { atMost: 400 },
  });
}
