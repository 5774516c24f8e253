import { percentileInterval, type Report } from '../../harness/index.ts';
import { type Interruption, KNOWN_MS } from '../interruptions.ts';
import type { Results } from '../parts.ts';
import { writeBackchannels } from './false-interruptions.ts';
import { rounded, shareOf, sharesPlot, waitFigures } from './time-figures.ts';

const GOALS = { 'ducked by 20 dB': 200, 'interruption latency': 400 };
const DECIDED_MS = 300;

export function writeInterruptions(report: Report, found: readonly Interruption[], under: string): void {
  report.heading(`Interruptions${under}`);
  const trials = found.filter(({ silent }) => silent !== true);
  report.figure({
    name: `no trial, since the agent was not speaking${under}`,
    value: found.length - trials.length,
    unit: `of ${found.length}`,
  });
  // An interruption before the caller's first audio, by a breath or another sound, is no answer.
  const early = trials.filter(({ cutMs }) => cutMs !== null && cutMs < 0);
  const counted = trials.filter((one) => !early.includes(one));
  const missed = counted.filter(({ cutMs }) => cutMs === null);
  report.figure({ name: `missed interruptions${under}`, value: missed.length, unit: `of ${counted.length}` });
  report.figure({
    name: `interrupted before the caller’s first sound${under}`,
    value: early.length,
    unit: `of ${trials.length}`,
  });
  if (counted.length === 0) return;
  const waits = {
    'ducked by 20 dB': counted.map(({ duckedMs }) => duckedMs ?? Infinity),
    'interruption latency': counted.map(({ cutMs }) => cutMs ?? Infinity),
  };
  const said: string[] = [];
  for (const [name, ms] of Object.entries(waits)) {
    const goal = GOALS[name as keyof typeof GOALS];
    waitFigures(report, name, ms, { under, goal });
    const { from, to } = percentileInterval(ms, 0.95);
    const within = ms.filter((one) => one <= goal).length;
    said.push(
      `${name}: ${within} of ${ms.length} within ${goal} ms; of callers like these the p95 lies between ${rounded(from)} and ` +
        `${rounded(to)} ms (95 %)`,
    );
  }
  report.text(`${said.join('. ')}.`);
  writeLate(report, counted, under);
  writeDecided(report, counted, under);
  writeMargins(report, counted, under);
  if (under !== '') return;
  writePlayed(report, counted);
  report.plot(
    'interruptions',
    `After the caller’s first sound: share of ${counted.length} interruptions`,
    sharesPlot(
      'ms',
      [
        { name: 'ducked', values: waits['ducked by 20 dB'] },
        { name: 'interrupted', values: waits['interruption latency'] },
      ],
      400,
    ),
  );
}

function writeLate(report: Report, counted: readonly Interruption[], under: string): void {
  const late = counted.filter(
    ({ duckedMs, cutMs }) =>
      (duckedMs ?? Infinity) > GOALS['ducked by 20 dB'] ||
      (cutMs ?? Infinity) > GOALS['interruption latency'],
  );
  if (late.length === 0) return;
  const each = late.map(
    ({ clip, duckedMs, cutMs }) =>
      `${clip} ducked at ${rounded(duckedMs)}, interrupted at ${rounded(cutMs)} ms`,
  );
  report.text(`Later than a goal${under}, ${late.length} of ${counted.length}: ${each.join('; ')}.`);
}

/**
 * Returns the time from the first ducking to the interruption, through all intermediate states. Without a ducking the
 * time counts from the caller's first audio.
 */
export function decidedMs({ cutMs, duckings }: Interruption): number | null {
  if (duckings === undefined || duckings === null) return null;
  if (cutMs === null) return Infinity;
  const first = duckings.find(({ atMs, forMs }) => atMs + (forMs ?? Infinity) > 0);
  return cutMs - Math.min(cutMs, first?.atMs ?? 0);
}

function writeDecided(report: Report, counted: readonly Interruption[], under: string): void {
  const decided = counted.map(decidedMs).filter((ms) => ms !== null);
  if (decided.length === 0) return;
  waitFigures(report, 'from first ducked to interrupted', decided, { under, goal: DECIDED_MS });
  const letGo = counted.filter(({ duckings }) =>
    duckings?.some(({ atMs, forMs }) => forMs !== null && atMs + forMs > 0),
  );
  report.figure({
    name: `unducked once before it was interrupted${under}`,
    value: letGo.length,
    unit: `of ${decided.length}`,
  });
  const within = decided.filter((ms) => ms <= DECIDED_MS).length;
  report.text(
    `From the moment at which the caller first hears the agent ducked until it is interrupted: ${within} of ${decided.length} within ` +
      `${DECIDED_MS} ms. Where it is taken for a backchannel first, and let go on, the time runs on.`,
  );
}

function writeMargins(report: Report, counted: readonly Interruption[], under: string): void {
  const known = counted.filter(({ margins }) => margins !== undefined);
  const margins = known[0]?.margins?.map(({ db }) => db) ?? [];
  if (margins.length === 0) return;
  const at = (db: number) => known.flatMap((one) => one.margins?.filter((margin) => margin.db === db) ?? []);
  const rows = [{ db: 15.9, trials: known }, ...margins.map((db) => ({ db, trials: at(db) }))].map(
    ({ db, trials }) => ({
      db,
      ducks: trials.map(({ duckedMs }) => duckedMs ?? Infinity),
      cuts: trials.map(({ cutMs }) => cutMs ?? Infinity),
    }),
  );
  const within = (ms: readonly number[], goal: number) => ms.filter((one) => one <= goal).length;
  report.text(
    'A caller’s first sound is where the level first stays within 15.9 dB of that of the active speech. A soft consonant lies lower, and ' +
      'so does a breath: this is what the same trials give where it is looked for further below.',
  );
  report.table(
    [
      'within',
      'trials',
      'ducked, p50',
      'p95',
      'within 200 ms',
      'interruption latency, p50',
      'p95',
      'within 400 ms',
    ],
    rows.map(({ db, ducks, cuts }) => [
      `${db} dB`,
      ducks.length,
      shareOf(ducks, 0.5),
      shareOf(ducks, 0.95),
      within(ducks, GOALS['ducked by 20 dB']),
      shareOf(cuts, 0.5),
      shareOf(cuts, 0.95),
      within(cuts, GOALS['interruption latency']),
    ]),
  );
  const soft = rows.find(({ db }) => db === 20);
  if (soft === undefined || under !== '') return;
  const from = ', from a first sound within 20 dB';
  waitFigures(report, 'ducked by 20 dB', soft.ducks, { under: from, goal: GOALS['ducked by 20 dB'] });
  waitFigures(report, 'interruption latency', soft.cuts, {
    under: from,
    goal: GOALS['interruption latency'],
  });
}

function writePlayed(report: Report, counted: readonly Interruption[]): void {
  const apart = counted.flatMap(({ playedMs, heardMs }) =>
    playedMs === null || heardMs < KNOWN_MS ? [] : [Math.abs(playedMs - heardMs)],
  );
  if (apart.length === 0) return;
  report.figure({
    name: 'played_ms of the server against the caller’s own count, furthest apart',
    value: Math.max(...apart),
    unit: 'ms',
    goal: { atMost: 20 },
  });
}

export function writeEcho(report: Report, { trials, interruptions: under, signs }: Results['echo']): void {
  report.heading('The agent’s own echo');
  report.table(
    ['echo', 'delay', 'seconds of speech', 'interruptions'],
    trials.map(({ db, delayMs, seconds, cuts }) => [`${db} dB`, `${delayMs} ms`, seconds, cuts]),
  );
  const seconds = trials.reduce((sum, trial) => sum + trial.seconds, 0);
  report.figure({
    name: `interruptions by the agent’s own echo in ${seconds} s of speech`,
    value: trials.reduce((sum, { cuts }) => sum + cuts, 0),
    unit: '',
    goal: { atMost: 0 },
  });
  writeInterruptions(report, under, ', under an echo of -20 dB');
  writeBackchannels(report, signs, 'under an echo of -20 dB');
}
