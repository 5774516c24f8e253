import type { Report } from '../../harness/index.ts';
import type { Results } from '../parts.ts';
import { shareOf } from './time-figures.ts';

export function writeCrowd(report: Report, levels: Results['crowd']): void {
  report.heading('Interruptions and backchannels while other calls run');
  report.text(
    'The same in one call, while in the others callers ask, are answered and ask again: a busy engine may hear late, but it must not ' +
      'stop the agent at a caller’s “mhm”.',
  );
  report.table(
    [
      'calls',
      'interruptions',
      'ducked, p50',
      'p95',
      'interruption latency, p50',
      'p95',
      'missed',
      'backchannels',
      'false interruptions',
      'which',
      'the others asked',
      'their response latency, p50',
    ],
    levels.map(({ calls, interruptions, falseCuts: signs, asked, gapsMs }) => {
      const said = interruptions.filter(({ silent }) => silent !== true);
      const cuts = said.map(({ cutMs }) => cutMs ?? Infinity);
      const ducks = said.map(({ duckedMs }) => duckedMs ?? Infinity);
      const wrong = signs.filter(({ cut }) => cut);
      return [
        calls,
        said.length,
        shareOf(ducks, 0.5),
        shareOf(ducks, 0.95),
        shareOf(cuts, 0.5),
        shareOf(cuts, 0.95),
        cuts.filter((ms) => ms === Infinity).length,
        signs.length,
        wrong.length,
        wrong.map(({ clip }) => clip).join('; '),
        asked,
        shareOf(gapsMs, 0.5),
      ];
    }),
  );
  for (const { calls, falseCuts: signs, interruptions } of levels) {
    const said = interruptions.filter(({ silent }) => silent !== true);
    const cut = signs.filter((trial) => trial.cut).length;
    report.figure({
      name: `false interruptions, ${calls} calls at once`,
      value: cut,
      unit: `of ${signs.length}`,
    });
    report.figure({
      name: `missed interruptions, ${calls} calls at once`,
      value: said.filter(({ cutMs }) => cutMs === null).length,
      unit: `of ${said.length}`,
    });
  }
}
