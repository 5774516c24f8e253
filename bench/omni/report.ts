/** The parts' results as figures, tables and plots. */
import { barPlot, linePlot, percentile, percentileInterval, type Report } from '../harness/index.ts';
import type { FalseCutTrial } from './false-cuts.ts';
import { type Gaps, withoutBrain } from './gaps.ts';
import type { Interruption } from './interruptions.ts';
import { PART_NAMES, type PartName, type Results, type Run, stored } from './parts.ts';

type Writer<Name extends PartName> = (report: Report, result: Results[Name]) => void;

const WRITERS: { [Name in PartName]: Writer<Name> } = {
  'gaps-endpoint': (report, result) => gaps(report, result, 'scripted server'),
  'gaps-responder': (report, result) => gaps(report, result, 'built-in responder'),
  interruptions: (report, result) => interruptions(report, result, ''),
  backchannels: (report, result) => falseCuts(report, result),
  noises: (report, result) => falseCuts(report, result),
  elsewhere: writeElsewhere,
  echo: writeEcho,
  crowd: writeCrowd,
  languages: writeLanguages,
  sessions: writeSessions,
  clock: (report, { minutes, speeches, framesAnHour, bound }) => {
    report.heading('The media clock');
    report.text(
      `${speeches} speeches in ${minutes.toFixed(1)} minutes of one call: when each began by the record, against when its first ` +
        'frame came to the client, by the earliest of every six in a row. The slope is ' +
        `${framesAnHour.toFixed(3)} frames an hour, within ${bound.toFixed(3)} of it at three standard errors. That the ` +
        'count of frames cannot run away from the clock it is given is tested over an hour of ticks, many of them late.',
    );
    report.figure({
      name: 'media clock drift, at most (slope and three standard errors)',
      value: Math.abs(framesAnHour) + bound,
      unit: 'frames an hour',
      goal: { below: 1 },
    });
  },
};

export function writeReport(report: Report, run: Run): void {
  report.text(METHOD);
  const taken: (string | number | null)[][] = [];
  for (const name of PART_NAMES) {
    const part = stored(name, run);
    taken.push([
      name,
      part?.machine.commit ?? 'not measured',
      part?.machine.date ?? '',
      part?.machine.load ?? '',
    ]);
    if (part !== null) (WRITERS[name] as Writer<PartName>)(report, part.result);
  }
  const trials = [...(stored('backchannels', run)?.result ?? []), ...(stored('noises', run)?.result ?? [])];
  const kinds = [
    { name: 'all', some: trials },
    { name: 'real recordings', some: trials.filter(({ kind }) => kind.startsWith('real')) },
    { name: 'generated sounds', some: trials.filter(({ kind }) => kind.startsWith('generated')) },
  ];
  for (const { name, some } of kinds) {
    if (some.length === 0) continue;
    report.figure({
      name: `false cuts on backchannels and noise, ${name}, ${some.length} trials`,
      value: (100 * some.filter(({ cut }) => cut).length) / some.length,
      unit: '%',
      goal: { atMost: 5 },
    });
  }
  report.heading('When each part was measured');
  report.table(['part', 'commit', 'date', 'load when it began'], taken);
}

const NOT_CLEAR = 'generated, not clear';

const METHOD =
  'A caller sends 20 ms frames as they are spoken and hears through a playout buffer of its own, without any delay added. Every recording ' +
  'went through 8 kHz u-law. The program has the machine to itself: where anything else runs, it gives way, and the loads below are of ' +
  'what waits. Settings were chosen on one half of the speakers, of the voices and of each noise; the figures are of the other half, but ' +
  'some rules were made after a look at it: the shortest wait at the end of speech (400 to 350, and then to 320 ms), when an interruption ' +
  'is looked at again, and that a hum’s final words don’t overrule its sound. What tells signs of listening by their sound was learnt, ' +
  'and its limits set, on the development half alone. Speech begins and ends where its level first and last stays within 15.9 dB of that ' +
  'of the active speech (ITU-T P.56) for 30 ms; reports before the one that says so took 15.9 dB below its loud parts, 4 dB later, and ' +
  'before that 25 and 35 dB. In a pause of its own, and once it is cut, the agent counts as lowered. The gap leaves out the brain’s delay, but never what came before the caller’s words were final: what ' +
  'speculation hid is not subtracted twice.';

function gaps(report: Report, { gaps: found, early, cutOff, unanswered }: Gaps, brain: string): void {
  report.heading(`Response gap, ${brain}`);
  if (found.length === 0) return;
  const all = withoutBrain(found);
  const at = (share: number, of: readonly number[] = all) => Math.round(percentile(of, share));
  report.figure({ name: `gap p50, ${brain}`, value: at(0.5), unit: 'ms', goal: { atMost: 700 } });
  report.figure({ name: `gap p95, ${brain}`, value: at(0.95), unit: 'ms', goal: { atMost: 1100 } });
  report.figure({ name: `gap p99, ${brain}`, value: at(0.99), unit: 'ms' });
  const asked = found.length + early + unanswered.length;
  report.figure({
    name: `answered before the caller had finished, ${brain}`,
    value: early,
    unit: `of ${asked}`,
  });
  report.figure({ name: `not answered, ${brain}`, value: unanswered.length, unit: `of ${asked}` });
  const part = (name: string) => found.map(({ parts }) => parts[name] ?? 0);
  const rest = found.map(({ wholeMs, parts }) => wholeMs - (parts.total ?? 0));
  const rows = [
    ['endpoint', part('endpoint')],
    ['final words', part('asr')],
    ['brain', part('brain')],
    ['first audio', part('tts')],
    ['line, playout, detector’s end of speech', rest],
    ['all, the brain’s delay left out', all],
    ['all', found.map(({ wholeMs }) => wholeMs)],
  ] as const;
  report.table(
    ['part', 'p50', 'p95', 'p99', 'longest'],
    rows.map(([name, ms]) => [name, at(0.5, ms), at(0.95, ms), at(0.99, ms), at(1, ms)]),
  );
  const delays = [...new Set(found.map(({ delayMs }) => delayMs))];
  if (delays.length > 1) {
    report.table(
      ['delay of the brain', 'questions', 'gap p50', 'gap p95', 'with the delay p50', 'p95'],
      delays.map((delay) => {
        const some = found.filter(({ delayMs }) => delayMs === delay);
        const gap = all.filter((_, at) => found[at]?.delayMs === delay);
        const whole = some.map(({ wholeMs }) => wholeMs);
        return [`${delay} ms`, some.length, at(0.5, gap), at(0.95, gap), at(0.5, whole), at(0.95, whole)];
      }),
    );
  }
  if (cutOff !== undefined && cutOff.length > 0)
    report.text(`Answered before the caller had finished: ${cutOff.join('; ')}.`);
  report.plot(
    `gap-${brain.split(' ')[0]}`,
    `Response gap, ${brain}: share of ${found.length} questions answered within`,
    shares('gap, ms', [{ name: brain, values: all }], 1100),
  );
}

function interruptions(report: Report, found: readonly Interruption[], under: string): void {
  report.heading(`Interruptions${under}`);
  // Cut before the caller's first sound, by a breath or by something else: no answer to an interruption.
  const early = found.filter(({ cutMs }) => cutMs !== null && cutMs < 0);
  const counted = found.filter((one) => !early.includes(one));
  const cuts = counted.map(({ cutMs }) => cutMs).filter((ms) => ms !== null);
  if (cuts.length === 0) return;
  // One that was missed is later than any.
  const waits = {
    'ducked by 20 dB': counted.map(({ duckedMs }) => duckedMs ?? Infinity),
    cut: counted.map(({ cutMs }) => cutMs ?? Infinity),
  };
  const goals = { 'ducked by 20 dB': 200, cut: 400 };
  const said: string[] = [];
  for (const [name, ms] of Object.entries(waits)) {
    const goal = goals[name as keyof typeof goals];
    const at = (share: number) => Math.round(percentile(ms, share));
    report.figure({ name: `${name}, p50${under}`, value: at(0.5), unit: 'ms' });
    report.figure({ name: `${name}, p95${under}`, value: at(0.95), unit: 'ms', goal: { atMost: goal } });
    const { from, to } = percentileInterval(ms, 0.95);
    const within = ms.filter((one) => one <= goal).length;
    said.push(
      `${name}: ${within} of ${ms.length} within ${goal} ms; of callers like these the p95 lies between ${rounded(from)} and ` +
        `${rounded(to)} ms (95 %)`,
    );
  }
  report.text(`${said.join('. ')}.`);
  const late = counted.filter(
    ({ duckedMs, cutMs }) => (duckedMs ?? Infinity) > 200 || (cutMs ?? Infinity) > 400,
  );
  if (late.length > 0) {
    const each = late.map(
      ({ clip, duckedMs, cutMs }) => `${clip} lowered at ${rounded(duckedMs)}, cut at ${rounded(cutMs)} ms`,
    );
    report.text(`Later than a goal${under}, ${late.length} of ${counted.length}: ${each.join('; ')}.`);
  }
  const missed = counted.length - cuts.length;
  report.figure({ name: `missed interruptions${under}`, value: missed, unit: `of ${counted.length}` });
  report.figure({
    name: `cut before the caller’s first sound${under}`,
    value: early.length,
    unit: `of ${found.length}`,
  });
  const apart = found
    .filter(({ playedMs }) => playedMs !== null)
    .map(({ playedMs, heardMs }) => Math.abs((playedMs as number) - heardMs));
  if (under === '') {
    report.figure({
      name: 'played_ms of the server against the caller’s own count, furthest apart',
      value: Math.max(...apart),
      unit: 'ms',
      goal: { atMost: 20 },
    });
    report.plot(
      'interruptions',
      `After the caller’s first sound: share of ${counted.length} interruptions`,
      shares(
        'ms',
        [
          { name: 'ducked', values: waits['ducked by 20 dB'].filter(Number.isFinite) },
          { name: 'cut', values: cuts },
        ],
        400,
      ),
    );
  }
}

const rounded = (ms: number | null): string =>
  ms === null || ms === Infinity ? 'never' : String(Math.round(ms));

function falseCuts(report: Report, trials: readonly FalseCutTrial[]): void {
  if (trials.some(({ kind }) => kind === NOT_CLEAR)) {
    report.heading('Signs of listening');
    report.text(
      'All of them count. Generated ones that Hear does not write as a sign of listening, with the whole sound before it, are also listed ' +
        'apart, as not clear: what it wrote stands in brackets.',
    );
  }
  for (const kind of new Set(trials.map((trial) => trial.kind))) {
    const some = trials.filter((trial) => trial.kind === kind);
    const cut = some.filter((trial) => trial.cut);
    report.figure({ name: `false cuts, ${kind}`, value: cut.length, unit: `of ${some.length}` });
    if (cut.length > 0) report.text(`False cuts, ${kind}: ${cut.map(({ clip }) => clip).join('; ')}.`);
    const lowered = some.flatMap(({ loweredMs }) => loweredMs ?? []);
    if (lowered.length === 0) continue;
    report.figure({
      name: `lowered in vain, ${kind}`,
      value: lowered.filter((ms) => ms > 0).length,
      unit: `of ${lowered.length}`,
    });
    report.figure({
      name: `lowered in vain, ${kind}, mean of each trial`,
      value: lowered.reduce((sum, ms) => sum + ms, 0) / lowered.length,
      unit: 'ms',
    });
  }
}

function writeElsewhere(report: Report, trials: Results['elsewhere']): void {
  report.heading('Signs of listening in other languages');
  report.text(
    'Generated voices alone say the signs, of which nothing was learnt; beside them what is none, by the same voices and by real ones. These ' +
      'trials are not among those of the goal for English.',
  );
  const signs = trials.filter(({ kind }) => kind.includes('backchannel'));
  falseCuts(report, signs);
  report.figure({
    name: `false cuts on signs of listening in other languages, ${signs.length} trials`,
    value: (100 * signs.filter(({ cut }) => cut).length) / Math.max(1, signs.length),
    unit: '%',
    goal: { atMost: 5 },
  });
  for (const kind of new Set(trials.map((trial) => trial.kind))) {
    if (kind.includes('backchannel')) continue;
    const some = trials.filter((trial) => trial.kind === kind);
    const cuts = some.map(({ cutMs }) => cutMs).filter((ms) => ms !== null);
    report.figure({ name: `not cut, ${kind}`, value: some.length - cuts.length, unit: `of ${some.length}` });
    if (cuts.length > 0) {
      report.figure({ name: `cut, p50, ${kind}`, value: Math.round(percentile(cuts, 0.5)), unit: 'ms' });
      report.figure({ name: `cut, p95, ${kind}`, value: Math.round(percentile(cuts, 0.95)), unit: 'ms' });
    }
  }
}

function writeEcho(report: Report, { trials, interruptions: under }: Results['echo']): void {
  report.heading('The agent’s own echo');
  report.table(
    ['echo', 'delay', 'seconds of speech', 'cuts'],
    trials.map(({ db, delayMs, seconds, cuts }) => [`${db} dB`, `${delayMs} ms`, seconds, cuts]),
  );
  const seconds = trials.reduce((sum, trial) => sum + trial.seconds, 0);
  report.figure({
    name: `cuts by the agent’s own echo in ${seconds} s of speech`,
    value: trials.reduce((sum, { cuts }) => sum + cuts, 0),
    unit: '',
    goal: { atMost: 0 },
  });
  interruptions(report, under, ', under an echo of -20 dB');
}

function writeCrowd(report: Report, levels: Results['crowd']): void {
  report.heading('Interruptions and signs of listening while other calls run');
  report.text(
    'The same in one call, while in the others callers ask, are answered and ask again: a busy engine may hear late, but it must not cut ' +
      'off a caller’s “mhm”.',
  );
  report.table(
    [
      'calls',
      'interruptions',
      'lowered, p50',
      'p95',
      'cut, p50',
      'p95',
      'missed',
      'signs of listening',
      'cut in vain',
      'which',
    ],
    levels.map(({ calls, interruptions: said, falseCuts: signs }) => {
      const cuts = said.map(({ cutMs }) => cutMs ?? Infinity);
      const ducks = said.map(({ duckedMs }) => duckedMs ?? Infinity);
      const wrong = signs.filter(({ cut }) => cut);
      const at = (of: readonly number[], share: number) => rounded(percentile(of, share));
      return [
        calls,
        said.length,
        at(ducks, 0.5),
        at(ducks, 0.95),
        at(cuts, 0.5),
        at(cuts, 0.95),
        said.filter(({ cutMs }) => cutMs === null).length,
        signs.length,
        wrong.length,
        wrong.map(({ clip }) => clip).join('; '),
      ];
    }),
  );
  for (const { calls, falseCuts: signs, interruptions: said } of levels) {
    const cut = signs.filter((trial) => trial.cut).length;
    report.figure({ name: `false cuts, ${calls} calls at once`, value: cut, unit: `of ${signs.length}` });
    report.figure({
      name: `missed interruptions, ${calls} calls at once`,
      value: said.filter(({ cutMs }) => cutMs === null).length,
      unit: `of ${said.length}`,
    });
  }
}

function writeLanguages(report: Report, turns: Results['languages']): void {
  report.heading('Spoken turns in each language');
  report.text(
    'A voice of Speak asks, the built-in responder answers what the persona says, or that it doesn’t know; the answer’s sound at ' +
      'the caller’s ear is written by Hear. The same questions in writing are all answered right (test/bench/omni-languages.test.ts): where an ' +
      'answer is wrong, the question was misheard, and what was heard stands beside it. Hindi is what Whisper base writes of it in ' +
      'Devanagari (docs/decisions/074). German is not served yet, and runs in English. No caller here is a person; the real voices are ' +
      'those of the other parts, in English.',
  );
  report.table(
    ['asked for', 'served', 'voice', 'question', 'heard', 'answer', 'its sound, by Hear', 'gap', 'right'],
    turns.map((turn) => [
      turn.language,
      turn.fallback ? `${turn.active} (fallback)` : turn.active,
      turn.voice,
      turn.question,
      turn.heard,
      turn.answer,
      turn.sound,
      turn.gapMs === null ? null : Math.round(turn.gapMs),
      turn.right ? 'yes' : '**no**',
    ]),
  );
  for (const language of new Set(turns.map((turn) => turn.language))) {
    const some = turns.filter((turn) => turn.language === language);
    report.figure({
      name: `right answers to spoken questions, ${language}`,
      value: some.filter(({ right }) => right).length,
      unit: `of ${some.length}`,
    });
  }
}

function writeSessions(report: Report, levels: Results['sessions']): void {
  report.heading('Sessions at once');
  const row = (level: Results['sessions'][number]) => {
    const { sessions, gapsMs, breaksMs, longerPausesMs, spokenSeconds, cores, refused, unanswered } = level;
    const at = (share: number) => (gapsMs.length === 0 ? null : Math.round(percentile(gapsMs, share)));
    const aMinute = (count: number) => Math.round((600 * count) / Math.max(1, spokenSeconds)) / 10;
    const middle = (of: readonly number[]) => (of.length === 0 ? null : Math.round(percentile(of, 0.5)));
    return {
      sessions,
      p50: at(0.5),
      p95: at(0.95),
      asked: gapsMs.length,
      unanswered,
      refused,
      broken: aMinute(breaksMs.length),
      brokenMs: middle(breaksMs),
      pauses: aMinute(longerPausesMs.length),
      pausesMs: middle(longerPausesMs),
      cores,
    };
  };
  const rows = levels.map(row);
  report.table(
    [
      'sessions',
      'questions',
      'gap p50',
      'gap p95',
      'not answered',
      'refused',
      'breaks in sound, a minute',
      'ms each, p50',
      'pauses made longer, a minute',
      'ms each, p50',
      'cores',
    ],
    rows.map((one) => [
      one.sessions,
      one.asked,
      one.p50,
      one.p95,
      one.unanswered,
      one.refused,
      one.broken,
      one.brokenMs,
      one.pauses,
      one.pausesMs,
      one.cores.toFixed(2),
    ]),
  );
  const good = rows.filter(
    ({ p50, p95, broken, refused }) =>
      (p50 ?? 1e9) <= 700 && (p95 ?? 1e9) <= 1100 && broken <= 1 && refused === 0,
  );
  report.figure({
    name: 'sessions at once with both goals of the gap and at most one break in sound a minute',
    value: Math.max(0, ...good.map(({ sessions }) => sessions)),
    unit: '',
  });
  report.plot(
    'sessions',
    'Sessions at once: the gap and what the server needs',
    barPlot({
      title: 'Response gap by sessions at once',
      unit: 'ms',
      series: ['p50', 'p95'],
      groups: rows.map(({ sessions, p50, p95 }) => ({
        label: String(sessions),
        values: [p50, p95],
        goal: 1100,
      })),
    }),
  );
}

function shares(label: string, series: { name: string; values: readonly number[] }[], most: number): string {
  return linePlot({
    title: `Share of trials within (the last goal is ${most})`,
    x: { label },
    y: { label: '%' },
    series: series.map(({ name, values }) => {
      const sorted = [...values].sort((a, b) => a - b);
      return { name, points: sorted.map((x, at) => ({ x, y: (100 * (at + 1)) / sorted.length })) };
    }),
    goals: [{ y: 95, label: '95 %' }],
  });
}
