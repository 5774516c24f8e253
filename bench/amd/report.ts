import { ANSWERS, type Answer } from '../../src/speech/amd/index.ts';
import { barPlot, percentile, type Report, shareInterval } from '../harness/index.ts';
import { isMachine, isPerson, isRight, type JudgedTrial } from './judge-trials.ts';
import type { Peer } from './peers.ts';
import type { Half } from './recordings.ts';

const SEVEN: readonly Answer[] = [
  'human',
  'voicemail',
  'ivr',
  'receptionist',
  'screening',
  'dead_number',
  'fax',
];
const CADENCE = "Asterisk app_amd's rule, its defaults";

export function reportTrials(report: Report, judged: readonly JudgedTrial[], half: Half): void {
  const seven = judged.filter(({ truth }) => SEVEN.includes(truth));
  report.heading('Right over seven classes');
  report.text(
    `${judged.length} calls of the ${half} half: ${count(judged, true)} answered by recordings of people and machines, ` +
      `${count(judged, false)} by generated voices and computed tones. No group of recordings is in both halves.`,
  );
  report.figure({
    name: 'right over seven classes',
    value: percent(seven.filter(isRight).length, seven.length),
    unit: '%',
    goal: { atLeast: 95 },
  });
  for (const real of [true, false]) {
    const some = seven.filter((one) => one.real === real);
    if (some.length === 0) continue;
    const name = `right, ${real ? 'recordings' : 'generated'}`;
    report.figure({ name, value: percent(some.filter(isRight).length, some.length), unit: '%' });
  }
  matrix(report, judged);
  people(report, judged);
  beeps(report, judged);
  cost(report, judged);
}

const count = (judged: readonly JudgedTrial[], real: boolean): number =>
  judged.filter((one) => one.real === real).length;
const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100;

function matrix(report: Report, judged: readonly JudgedTrial[]): void {
  for (const real of [true, false]) {
    const some = judged.filter((one) => one.real === real);
    report.heading(real ? 'Recordings: what was said of each' : 'Generated: what was said of each');
    report.table(
      ['truth', 'calls', ...ANSWERS, 'right %'],
      ANSWERS.filter((truth) => some.some((one) => one.truth === truth)).map((truth) => {
        const of = some.filter((one) => one.truth === truth);
        const said = ANSWERS.map(
          (answer) => of.filter(({ verdict }) => verdict.answeredBy === answer).length,
        );
        return [truth, of.length, ...said, percent(of.filter(isRight).length, of.length)];
      }),
    );
  }
  const without = SEVEN.filter((answer) => !judged.some(({ truth, real }) => real && truth === answer));
  report.text(`No claim is made for real calls of: ${without.join(', ')}. No recording of any was at hand.`);
}

function people(report: Report, judged: readonly JudgedTrial[]): void {
  const humans = judged.filter(({ truth }) => truth === 'human');
  const machines = judged.filter(({ truth }) => isMachine(truth) && truth !== 'fax');
  const peers = (of: readonly JudgedTrial[], says: Peer['says']) => ({
    cadence: percent(of.filter(({ cadence }) => cadence.says === says).length, of.length),
    words: percent(of.filter(({ words }) => words.says === says).length, of.length),
  });
  const taken = humans.filter(({ verdict }) => isMachine(verdict.answeredBy)).length;
  report.heading('People called machines');
  report.figure({ name: 'trials of people', value: humans.length, unit: 'calls', goal: { atLeast: 300 } });
  report.figure({
    name: 'people called machines',
    value: percent(taken, humans.length),
    unit: '%',
    goal: { atMost: 2 },
    peer: CADENCE,
    peerValue: peers(humans, 'machine').cadence,
  });
  report.figure({
    name: 'machines called people',
    value: percent(machines.filter(({ verdict }) => isPerson(verdict.answeredBy)).length, machines.length),
    unit: '%',
    peer: CADENCE,
    peerValue: peers(machines, 'human').cadence,
  });
  const interval = shareInterval(taken, Math.max(1, humans.length));
  report.text(
    `95 % interval of people called machines: ${percent(interval.from, 1)} to ${percent(interval.to, 1)} %. ` +
      `A rule of words over the same transcripts calls ${peers(humans, 'machine').words} % of the people machines, ` +
      `and ${peers(machines, 'human').words} % of the machines people.`,
  );
  times(report, humans);
}

function times(report: Report, humans: readonly JudgedTrial[]): void {
  const right = humans.filter(({ verdict }) => isPerson(verdict.answeredBy));
  const after = right.map(({ verdict, greeting }) => (verdict.atMs - (greeting?.toMs ?? 0)) / 1000);
  const cadence = humans
    .filter(({ cadence: { says } }) => says === 'human')
    .map(({ cadence: { atMs }, greeting }) => (atMs - (greeting?.toMs ?? 0)) / 1000);
  const of = (values: readonly number[], q: number): number =>
    values.length === 0 ? 0 : Math.round(100 * percentile([...values], q)) / 100;
  report.figure({
    name: 'person decided after the greeting, p50',
    value: of(after, 0.5),
    unit: 's',
    goal: { atMost: 0.8 },
    peer: CADENCE,
    peerValue: of(cadence, 0.5),
  });
  report.figure({
    name: 'person decided after the greeting, p95',
    value: of(after, 0.95),
    unit: 's',
    goal: { atMost: 1.5 },
    peer: CADENCE,
    peerValue: of(cadence, 0.95),
  });
  const edges = [0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.5, 2, 3];
  report.plot(
    'person-after-greeting',
    'When a person is decided, seconds after the end of the greeting',
    barPlot({
      title: 'People: time from the end of the greeting to the verdict, seconds',
      unit: 'calls',
      series: ['calls'],
      groups: edges.map((edge, at) => ({
        label: at === edges.length - 1 ? `${edge} and more` : `${edge} to ${edges[at + 1]}`,
        values: [after.filter((s) => s >= (at === 0 ? -60 : edge) && s < (edges[at + 1] ?? 600)).length],
      })),
    }),
  );
}

function beeps(report: Report, judged: readonly JudgedTrial[]): void {
  const beeping = judged.filter(({ beepEndMs }) => beepEndMs !== null);
  const machines = beeping.filter(
    ({ verdict }) => isMachine(verdict.answeredBy) && verdict.answeredBy !== 'fax',
  );
  const found = machines.filter(({ messageEnd }) => messageEnd?.kind === 'beep');
  const early = judged.filter(
    ({ messageEnd, greeting }) =>
      messageEnd?.kind === 'beep' && greeting !== null && messageEnd.atMs < greeting.toMs,
  );
  const errors = found.map(({ messageEnd, beepEndMs }) => Math.abs(messageEnd!.atMs - beepEndMs!));
  report.heading('Beeps');
  report.figure({
    name: 'beep found',
    value: percent(found.length, machines.length),
    unit: '%',
    goal: { atLeast: 97 },
  });
  report.figure({
    name: 'beep before the greeting ended',
    value: early.length,
    unit: 'calls',
    goal: { atMost: 0 },
  });
  if (errors.length > 0) {
    const p95 = Math.round(percentile(errors, 0.95));
    report.figure({ name: 'beep end, error p95', value: p95, unit: 'ms', goal: { atMost: 20 } });
  }
  report.text(
    `Of ${beeping.length} calls with a beep, ${machines.length} were known to be machines in time to wait for it.`,
  );
}

function cost(report: Report, judged: readonly JudgedTrial[]): void {
  const readings = judged.filter(({ truth }) => truth !== 'fax' && truth !== 'no_answer');
  const mean = readings.reduce((sum, { readingMs }) => sum + readingMs, 0) / Math.max(1, readings.length);
  report.heading('What a call costs');
  report.figure({
    name: 'recognition of a whole trial',
    value: Math.round(mean) / 1000,
    unit: 's of a core',
  });
}

export function printMisjudged(judged: readonly JudgedTrial[]): void {
  for (const one of judged.filter((each) => !isRight(each))) {
    const because = one.verdict.because.map(({ code, weight }) => `${code} ${weight.toFixed(1)}`).join(', ');
    console.log(
      `${one.name}: ${one.verdict.answeredBy} (${one.verdict.reason} ${one.verdict.confidence}) at ${one.verdict.atMs}, ` +
        `greeting to ${Math.round(one.greeting?.toMs ?? 0)} [${because}] “${one.text.slice(0, 120)}”`,
    );
  }
}
