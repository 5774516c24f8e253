import { barPlot, type Report } from '../harness/index.ts';
import { type FilesData, OTHER_LANGUAGES, type Recognized, realTime } from './files.ts';
import type { StoredPart } from './parts.ts';
import { interval, pooled } from './words.ts';

export interface FilesRun {
  readonly name: string;
  readonly stored: StoredPart<FilesData>;
  readonly telephone: readonly Recognized[] | undefined;
}

const sum = (list: readonly Recognized[], of: (one: Recognized) => number) =>
  list.reduce((total, one) => total + of(one), 0);
const percent = (rate: number) => `${(rate * 100).toFixed(1)} %`;
const ranged = (list: readonly Recognized[]) => {
  const [low, high] = interval(list);
  return `${percent(pooled(list))} (${percent(low)} to ${percent(high)})`;
};

export function reportFiles(report: Report, runs: readonly FilesRun[], unmeasured: readonly string[]): void {
  report.heading('English files');
  const { wide } = runs[0]!.stored.data;
  const { telephone } = runs[0]!;
  report.text(
    `${wide.length} clips of real voices with exact texts, ${Math.round(sum(wide, (one) => one.seconds))} s, the language forced, one thread of inference. Word errors are pooled over normalised words (${sum(wide, (one) => one.words)} of them); the interval holds 95 % of 1,000 drawings of whole clips. Sound goes in as 16 kHz WAV, or as it comes out of an 8 kHz u-law line.`,
  );
  report.table(
    ['', 'word error (95 %)', 'word error, u-law (95 %)', 'real-time factor', 'measured'],
    runs.map(({ name, stored, telephone }) => [
      name,
      ranged(stored.data.wide),
      telephone ? ranged(telephone) : '-',
      realTime(stored.data.wide).toFixed(3),
      stored.measured,
    ]),
  );
  const sources = [...new Set(wide.map((one) => one.source))].sort();
  const of = (list: readonly Recognized[], source: string) => list.filter((one) => one.source === source);
  report.table(
    ['kind, source', 'words', ...runs.flatMap(({ name }) => [name, `${name}, u-law`])],
    sources.map((source) => [
      source,
      sum(of(wide, source), (one) => one.words),
      ...runs.flatMap((run) => [
        percent(pooled(of(run.stored.data.wide, source))),
        run.telephone ? percent(pooled(of(run.telephone, source))) : '-',
      ]),
    ]),
  );
  report.plot('word-error', 'Word error of English files', errorPlot(runs));
  report.plot(
    'kinds',
    'Word error by kind and source',
    barPlot({
      title: 'Word error by kind and source, 16 kHz',
      unit: '% of words',
      series: runs.map(({ name }) => name),
      groups: sources.map((source) => ({
        label: source,
        values: runs.map(({ stored }) => pooled(of(stored.data.wide, source)) * 100),
      })),
    }),
  );
  report.plot(
    'real-time',
    'Real-time factor, one thread',
    barPlot({
      title: 'Real-time factor, one thread of inference',
      unit: 's/s',
      series: runs.map(({ name }) => name),
      groups: [
        { label: 'single clips', values: runs.map(({ stored }) => realTime(stored.data.wide)) },
        { label: 'joined into a file', values: runs.map(({ stored }) => realTime(stored.data.joined)) },
      ],
    }),
  );
  for (const name of unmeasured) report.text(`${name} was not measured.`);
  figures(report, runs);
  if (telephone) {
    report.figure({
      name: 'word error, English clips over u-law',
      value: pooled(telephone),
      unit: 'of words',
    });
  }
  joined(report, runs);
  others(report, runs);
}

const errorPlot = (runs: readonly FilesRun[]): string =>
  barPlot({
    title: 'Word error, English files',
    unit: '% of words',
    series: runs.map(({ name }) => name),
    groups: [
      { label: '16 kHz', values: runs.map(({ stored }) => pooled(stored.data.wide) * 100) },
      {
        label: '8 kHz u-law',
        values: runs.map(({ telephone }) => (telephone ? pooled(telephone) * 100 : null)),
      },
    ],
  });

function figures(report: Report, [ours, ...peers]: readonly FilesRun[]): void {
  const value = pooled(ours!.stored.data.wide);
  if (peers.length === 0) report.figure({ name: 'word error, English clips', value, unit: 'of words' });
  for (const peer of peers) {
    const peerValue = pooled(peer.stored.data.wide);
    report.figure({
      name: `word error, English clips, beside ${peer.name}`,
      value,
      unit: 'of words',
      goal: { atMost: Number(peerValue.toFixed(4)) },
      peer: peer.name,
      peerValue,
    });
  }
  const single = realTime(ours!.stored.data.wide);
  if (peers.length === 0)
    report.figure({ name: 'real-time factor, single clips', value: single, unit: 's/s' });
  for (const peer of peers) {
    const peerValue = realTime(peer.stored.data.wide);
    report.figure({
      name: `real-time factor, single clips, beside ${peer.name}`,
      value: single,
      unit: 's/s',
      goal: { atMost: Number(peerValue.toFixed(4)) },
      peer: peer.name,
      peerValue,
    });
  }
}

function joined(report: Report, runs: readonly FilesRun[]): void {
  const length = runs[0]!.stored.data.joined[0]!.seconds;
  report.heading('English clips joined into one file');
  report.text(`One file of ${Math.round(length)} s, with half a second between clips.`);
  report.table(
    ['', 'word error', 'real-time factor'],
    runs.map(({ name, stored }) => [
      name,
      percent(pooled(stored.data.joined)),
      realTime(stored.data.joined).toFixed(3),
    ]),
  );
  const best = runs
    .slice(1)
    .sort((a, b) => realTime(a.stored.data.joined) - realTime(b.stored.data.joined))[0];
  report.figure({
    name: 'real-time factor, clips joined into a long file',
    value: realTime(runs[0]!.stored.data.joined),
    unit: 's/s',
    goal: { atMost: 0.12 },
    ...(best ? { peer: best.name, peerValue: realTime(best.stored.data.joined) } : {}),
  });
}

function others(report: Report, runs: readonly FilesRun[]): void {
  report.heading('Other languages');
  report.text(
    'Few real recordings with exact texts are at hand in these languages, and none in Hindi: the rows show that the languages work, and claim no rate.',
  );
  const of = (run: FilesRun, language: string) =>
    run.stored.data.others.filter((one) => one.language === language);
  report.table(
    ['language', 'clips', 'words', ...runs.map(({ name }) => name)],
    OTHER_LANGUAGES.map((language) => [
      language,
      of(runs[0]!, language).length,
      sum(of(runs[0]!, language), (one) => one.words),
      ...runs.map((run) => percent(pooled(of(run, language)))),
    ]),
  );
  report.plot(
    'languages',
    'Word error in other languages, with the count of clips',
    barPlot({
      title: 'Word error in other languages (clips)',
      unit: '% of words',
      series: runs.map(({ name }) => name),
      groups: OTHER_LANGUAGES.map((language) => ({
        label: `${language} (${of(runs[0]!, language).length})`,
        values: runs.map((run) => pooled(of(run, language)) * 100),
      })),
    }),
  );
}
