import type { FigureInput, Report } from '../harness/index.ts';
import type { StreamsData } from '../hear/streams.ts';
import { inTime, ms, toFinals } from '../hear/streams-report.ts';
import { pooled } from '../hear/words.ts';
import { LEVEL_NAMES, type Level } from './levels.ts';
import { storedAtEachLevel } from './part-store.ts';
import type { HearData, PeerData } from './parts.ts';

type Row = (string | number)[];

export function writeHear(report: Report, here: readonly Level[], quick: boolean): void {
  report.heading('Hear');
  report.text(
    'Recordings of English speakers at real time, endpointing after 300 ms: the same clips at each level and each number of streams. “At once” is the highest number tried at which nobody was refused and the p99 of the time from the end of speech to the final is below a second. Word error is of the clips that were not refused. ' +
      'faster-whisper (base, int8, beam 5, one thread, at the same level by `CT2_FORCE_CPU_ISA`) has each clip as a whole file; its “core each” is the time that a second of sound took.',
  );
  const rows: Row[] = [];
  for (const { level, data } of storedAtEachLevel(report, here, 'hear', quick)) {
    writeFigures(report, LEVEL_NAMES[level], data);
    for (const one of [data.four, ...data.atOnce]) rows.push(rowOf(level, one));
    if (data.peer) rows.push(peerRow(level, data.peer));
  }
  report.table(
    [
      'level',
      'streams',
      'clips',
      'word error',
      'to final p50',
      'p95',
      'p99',
      'refused',
      'no final',
      'core each',
    ],
    rows,
  );
}

function writeFigures(report: Report, level: string, { four, atOnce, peer }: HearData): void {
  const figure = (input: FigureInput) => report.figure({ ...input, name: `${level}: ${input.name}` });
  const concurrent = peer ? { peer: 'faster-whisper', peerValue: pooled(peer.scores) } : {};
  figure({
    name: 'word error, four streams at once',
    value: wordError(four),
    unit: 'of words',
    ...concurrent,
  });
  figure({ name: 'thousandths of a core a stream, four at once', value: 1000 * four.cpuEach, unit: '' });
  const most = { name: 'streams at once with finals in time', value: carried(atOnce), unit: '' };
  figure({ ...most, goal: { atLeast: 20 } });
}

const carried = (all: readonly StreamsData[]): number => {
  const bad = all.findIndex((data) => !inTime(data));
  return all[(bad < 0 ? all.length : bad) - 1]?.streams ?? 0;
};

const wordError = ({ streamed }: StreamsData): number => pooled(streamed.filter(({ refused }) => !refused));

function rowOf(level: Level, data: StreamsData): Row {
  const finals = toFinals(data);
  return [
    LEVEL_NAMES[level],
    data.streams,
    data.streamed.length,
    `${(100 * wordError(data)).toFixed(1)} %`,
    ...[0.5, 0.95, 0.99].map((share) => Math.round(ms(finals, share))),
    data.streamed.filter(({ refused }) => refused).length,
    data.streamed.filter(({ refused, toFinal }) => !refused && toFinal === null).length,
    data.cpuEach.toFixed(3),
  ];
}

const peerRow = (level: Level, { scores, seconds, spent }: PeerData): Row => [
  `${LEVEL_NAMES[level]}, faster-whisper`,
  '-',
  scores.length,
  `${(100 * pooled(scores)).toFixed(1)} %`,
  '-',
  '-',
  '-',
  '-',
  '-',
  (spent / seconds).toFixed(3),
];
