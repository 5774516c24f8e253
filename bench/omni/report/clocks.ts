import type { Report } from '../../harness/index.ts';
import type { Results } from '../parts.ts';
import { writeBackchannels } from './false-interruptions.ts';
import { shareOf } from './time-figures.ts';

const CUT_MS = 400;

export function writeClocks(report: Report, trials: Results['clocks']): void {
  report.heading('Callers whose clocks run beside the server’s');
  report.text(
    'Interruptions under an echo of -20 dB after 120 ms; the caller’s second is so many millionths longer or shorter, and so the echo ' +
      'comes later and later, or sooner and sooner.',
  );
  report.table(
    [
      'millionths',
      'interruptions',
      'ducked, p50',
      'p95',
      'interruption latency, p50',
      'p95',
      'within 400 ms',
      'missed',
      'backchannels',
      'false interruptions',
    ],
    trials.map(({ millionths, interruptions, signs }) => {
      const said = interruptions.filter(({ silent }) => silent !== true);
      const cuts = said.map(({ cutMs }) => cutMs ?? Infinity);
      const ducks = said.map(({ duckedMs }) => duckedMs ?? Infinity);
      return [
        millionths,
        said.length,
        shareOf(ducks, 0.5),
        shareOf(ducks, 0.95),
        shareOf(cuts, 0.5),
        shareOf(cuts, 0.95),
        cuts.filter((ms) => ms <= CUT_MS).length,
        cuts.filter((ms) => ms === Infinity).length,
        signs.length,
        signs.filter(({ cut }) => cut).length,
      ];
    }),
  );
  const signs = trials.flatMap((trial) => trial.signs);
  writeBackchannels(report, signs, 'under an echo, clocks up to 100 millionths apart');
  const all = trials.flatMap(({ interruptions }) => interruptions.filter(({ silent }) => silent !== true));
  report.figure({
    name: 'missed interruptions under an echo, clocks up to 100 millionths apart',
    value: all.filter(({ cutMs }) => cutMs === null).length,
    unit: `of ${all.length}`,
  });
  report.figure({
    name: 'interrupted before the caller’s first sound, clocks up to 100 millionths apart',
    value: all.filter(({ cutMs }) => cutMs !== null && cutMs < 0).length,
    unit: `of ${all.length}`,
    goal: { atMost: 0 },
  });
}
