import { VOICE_DBFS } from '../../../src/apps/caller/index.ts';
import { type Report, shareInterval } from '../../harness/index.ts';
import type { FalseInterruptionTrial } from '../false-interruptions.ts';
import type { Results } from '../parts.ts';
import { waitFigures } from './time-figures.ts';

const NOT_CLEAR = 'generated, not clear';
const DECIDED_MS = 300;
const GOAL = { atMost: 5 };

export const isNoise = ({ kind }: FalseInterruptionTrial): boolean => kind.endsWith('noise');
const isReal = ({ kind }: FalseInterruptionTrial): boolean => kind.startsWith('real');
const isLoud = ({ clip }: FalseInterruptionTrial): boolean => clip.endsWith(` ${VOICE_DBFS}`);

/** The goal applies to both together; each has figures of its own, so that neither hides in the other. */
export function writeSums(report: Report, trials: readonly FalseInterruptionTrial[]): void {
  const signs = trials.filter((trial) => !isNoise(trial));
  const noises = trials.filter(isNoise);
  const parts = [
    { name: 'backchannels and noise, all', some: trials },
    { name: 'backchannels and noise, real recordings', some: trials.filter(isReal) },
    { name: 'backchannels and noise, generated sounds', some: trials.filter((trial) => !isReal(trial)) },
    { name: 'backchannels alone, all', some: signs },
    { name: 'backchannels alone, real recordings', some: signs.filter(isReal) },
    { name: 'backchannels alone, generated', some: signs.filter((trial) => !isReal(trial)) },
    { name: 'noise alone, all', some: noises },
    { name: 'noise alone, real recordings', some: noises.filter(isReal) },
    { name: 'noise alone, at the level of the caller’s voice', some: noises.filter(isLoud) },
  ].filter(({ some }) => some.length > 0);
  if (parts.length === 0) return;
  report.heading('False interruptions');
  report.table(
    ['on', 'trials', 'interrupted', '%', 'of trials like these, 95 %'],
    parts.map(({ name, some }) => {
      const { cut, share } = shareOf(some);
      const { from, to } = shareInterval(cut, some.length);
      const between = `${(100 * from).toFixed(1)} to ${(100 * to).toFixed(1)} %`;
      return [name, some.length, cut, share.toFixed(2), between];
    }),
  );
  report.text(
    'The intervals hold for independent trials. These are fewer than they look: the real backchannels ' +
      `are ${voices(signs)} at three levels each, the real noises pieces of ${sources(noises)} recordings. How ` +
      'many pieces of noise are played decides what the sum is; the rows below it don’t depend on that.',
  );
  for (const { name, some } of parts) {
    const count = `${some.length} trials`;
    report.figure({
      name: `false interruptions on ${name}, ${count}`,
      value: shareOf(some).share,
      unit: '%',
      goal: GOAL,
    });
  }
}

function shareOf(trials: readonly FalseInterruptionTrial[]): { cut: number; share: number } {
  const cut = trials.filter((trial) => trial.cut).length;
  return { cut, share: (100 * cut) / trials.length };
}

const distinct = (names: readonly string[]): number => new Set(names).size;
const voices = (trials: readonly FalseInterruptionTrial[]): string =>
  `${distinct(trials.filter(isReal).map(({ clip }) => clip))} recordings`;
const sources = (trials: readonly FalseInterruptionTrial[]): number =>
  distinct(trials.filter(isReal).map(({ clip }) => clip.split('@')[0] as string));

export function writeFalseInterruptions(report: Report, trials: readonly FalseInterruptionTrial[]): void {
  if (trials.some(({ kind }) => kind === NOT_CLEAR)) {
    report.heading('Backchannels');
    report.text(
      'All of them count. Generated ones that Hear does not write as a backchannel, with the whole sound before it, are also listed ' +
        'apart, as not clear: what it wrote stands in brackets.',
    );
  }
  for (const kind of new Set(trials.map((trial) => trial.kind))) {
    const some = trials.filter((trial) => trial.kind === kind);
    const cut = some.filter((trial) => trial.cut);
    report.figure({ name: `false interruptions, ${kind}`, value: cut.length, unit: `of ${some.length}` });
    if (cut.length > 0)
      report.text(`False interruptions, ${kind}: ${cut.map(({ clip }) => clip).join('; ')}.`);
    const known = some.filter(({ duckings }) => duckings !== null);
    const lowered = known.flatMap(({ loweredMs }) => loweredMs ?? []);
    if (lowered.length === 0) continue;
    report.figure({
      name: `ducked in vain, ${kind}`,
      value: lowered.filter((ms) => ms > 0).length,
      unit: `of ${lowered.length}`,
    });
    report.figure({
      name: `ducked in vain, ${kind}, mean of each trial`,
      value: lowered.reduce((sum, ms) => sum + ms, 0) / lowered.length,
      unit: 'ms',
    });
  }
}

export function writeMissedInterruptions(
  report: Report,
  what: string,
  trials: readonly FalseInterruptionTrial[],
): void {
  const known = trials.filter(({ cut, duckings }) => !cut && duckings !== undefined && duckings !== null);
  if (known.length === 0) return;
  const all = known.flatMap(({ duckings }) => duckings ?? []);
  if (all.length === 0) return;
  const longest = known.flatMap(({ duckings }) =>
    duckings?.length ? [Math.max(...duckings.map(({ forMs }) => forMs ?? Infinity))] : [],
  );
  waitFigures(report, `from ducked to unducked, the longest of each trial, ${what}`, longest, {
    goal: DECIDED_MS,
  });
  report.figure({
    name: `went on at the sample at which it was ducked, ${what}`,
    value: all.filter(({ forMs }) => forMs !== null).length,
    unit: `of ${all.length}`,
    goal: { atLeast: all.length },
  });
}

/**
 * Writes English backchannels, recorded and generated ones apart, and the share that a recognizer hears as a
 * backchannel.
 */
export function writeBackchannels(
  report: Report,
  trials: readonly FalseInterruptionTrial[],
  where: string,
): void {
  for (const [which, kind] of [
    ['real backchannels', 'real'],
    ['generated backchannels', 'generated'],
    ['generated backchannels that are clear', 'generated backchannel'],
  ] as const) {
    const some = trials.filter((trial) => trial.kind.startsWith(kind));
    if (some.length === 0) continue;
    const name = `false interruptions, ${which}, ${where}`;
    report.figure({ name, value: shareOf(some).share, unit: `% of ${some.length}`, goal: GOAL });
  }
}

export function writeOtherLanguages(report: Report, trials: Results['elsewhere']): void {
  report.heading('Backchannels in other languages');
  report.text(
    'Synthesized voices that were not trained with say the backchannels; the same voices and recordings say the interruptions. These ' +
      'trials are not among those of the goal for English.',
  );
  const signs = trials.filter(({ kind }) => kind.includes('backchannel'));
  writeFalseInterruptions(report, signs);
  report.figure({
    name: `false interruptions on backchannels in other languages, ${signs.length} trials`,
    value: (100 * signs.filter(({ cut }) => cut).length) / Math.max(1, signs.length),
    unit: '%',
    goal: GOAL,
  });
  for (const kind of new Set(trials.map((trial) => trial.kind))) {
    if (kind.includes('backchannel')) continue;
    const some = trials.filter((trial) => trial.kind === kind);
    const missed = some.filter(({ cutMs }) => cutMs === null);
    report.figure({ name: `not interrupted, ${kind}`, value: missed.length, unit: `of ${some.length}` });
    waitFigures(
      report,
      `cut, ${kind}`,
      some.map(({ cutMs }) => cutMs ?? Infinity),
    );
  }
}
