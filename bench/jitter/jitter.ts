import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { findFfmpeg } from '../../src/media/codec/index.ts';
import { linePlot, type Report, runBench, runNative } from '../harness/index.ts';
import { buildPrograms } from '../kernels/build.ts';

const SPEECH = '../shared/speech/ljspeech';
const CODECS = ['opus', 'opus, silence unsent', 'pcmu'] as const;
const NETWORKS = {
  spread:
    'Spread: each packet comes up to so many milliseconds later than the quickest, by itself, so that many overtake others; losses come one by one.',
  stalls:
    'Stalls: every two seconds on average the way is shut for up to so many milliseconds, and what waited comes at once; losses come two at a time on average.',
} as const;

interface Line {
  readonly codec: string;
  readonly network: keyof typeof NETWORKS;
  readonly loss: number;
  readonly jitter: number;
  readonly who: string;
  readonly concealed: number;
  readonly late: number;
  readonly recovered: number;
  readonly wait: number;
  readonly wait95: number;
  readonly stretched: number;
}

function speech(folder: string, rate: number, seconds: number): string {
  const ffmpeg = findFfmpeg(null, new Models())?.path ?? 'ffmpeg';
  if (!existsSync(SPEECH)) throw new Error(`the recordings in ${SPEECH} are missing`);
  const files = readdirSync(SPEECH)
    .filter((name) => name.endsWith('.wav'))
    .sort();
  const pieces: Buffer[] = [];
  for (let bytes = 0; bytes < 2 * rate * seconds; ) {
    for (const name of files) {
      const args = [
        '-v',
        'error',
        '-i',
        join(SPEECH, name),
        '-ac',
        '1',
        '-ar',
        String(rate),
        '-f',
        's16le',
        '-',
      ];
      const piece = spawnSync(ffmpeg, args, { maxBuffer: 1 << 28 }).stdout;
      pieces.push(piece, Buffer.alloc(2 * rate));
      bytes += piece.length + 2 * rate;
    }
  }
  const path = join(folder, `${rate}.pcm`);
  writeFileSync(path, Buffer.concat(pieces).subarray(0, 2 * rate * seconds));
  return path;
}

const percent = (share: number): string => (100 * share).toFixed(2);
const cell = ({ concealed, late, wait }: Line): string =>
  `${percent(concealed)} / ${percent(late)} / ${wait.toFixed(0)}`;

function reportNetwork(report: Report, lines: readonly Line[], network: keyof typeof NETWORKS): void {
  report.heading(network === 'spread' ? 'Spread' : 'Stalls');
  report.text(NETWORKS[network]);
  for (const codec of CODECS) {
    const own = lines.filter((line) => line.network === network && line.codec === codec);
    if (own.length === 0) continue;
    const contestants = [...new Set(own.map(({ who }) => who))];
    const rows = own.filter(({ who }) => who === 'ours');
    report.text(`**${codec}**: of what sounded, concealed % / of the packets that came, late % / wait, ms`);
    report.table(
      ['loss, %', 'jitter, ms', ...contestants],
      rows.map(({ loss, jitter }) => [
        (100 * loss).toFixed(0),
        jitter,
        ...contestants.map((who) =>
          cell(own.find((line) => line.loss === loss && line.jitter === jitter && line.who === who) as Line),
        ),
      ]),
    );
  }
}

function plot(report: Report, lines: readonly Line[], network: keyof typeof NETWORKS): void {
  const loss = 0.03;
  const own = lines.filter((line) => line.network === network && line.codec === 'opus' && line.loss === loss);
  if (new Set(own.map(({ jitter }) => jitter)).size < 3) return;
  const series = (value: (line: Line) => number) =>
    [...new Set(own.map(({ who }) => who))].map((name) => ({
      name,
      points: own.filter(({ who }) => who === name).map((line) => ({ x: line.jitter, y: value(line) })),
    }));
  for (const [id, label, value] of [
    ['concealed', 'concealed, %', (line: Line) => 100 * line.concealed],
    ['wait', 'wait, ms', (line: Line) => line.wait],
  ] as const)
    report.plot(
      `${network}-${id}`,
      `Opus, 3 % loss, ${network}: ${label}`,
      linePlot({
        title: `Opus, 3 % loss, ${network}`,
        x: { label: 'jitter, ms', min: 0 },
        y: { label, min: 0 },
        series: series(value),
      }),
    );
}

/**
 * Counts cells in which ours is better: a fixed buffer that conceals no more waits longer, and one that waits no
 * longer conceals more.
 */
function beaten(lines: readonly Line[]): { cells: number; better: number } {
  const ours = lines.filter(({ who }) => who === 'ours');
  const betterThan = (own: Line) =>
    lines.some(
      (line) =>
        line.who !== 'ours' &&
        line.codec === own.codec &&
        line.network === own.network &&
        line.loss === own.loss &&
        line.jitter === own.jitter &&
        line.wait <= own.wait &&
        line.concealed <= own.concealed &&
        (line.wait < own.wait - 1 || line.concealed < own.concealed - 0.0005),
    );
  return { cells: ours.length, better: ours.filter(betterThan).length };
}

await runBench('jitter', 'Jitter buffers', (report, { quick }) => {
  const folder = mkdtempSync(join(tmpdir(), 'jitter-'));
  try {
    const { jitter } = buildPrograms(['jitter']);
    const seconds = quick ? 20 : 90;
    const files = [8000, 24_000].map((rate) => speech(folder, rate, seconds));
    const lines = runNative<Line>(jitter as string, [...files, ...(quick ? ['--quick'] : [])]);
    if (!lines.some(({ codec }) => codec === 'opus'))
      report.text('Opus was not measured: apt-get install libopus-dev.');
    if (!lines.some(({ who }) => who === 'speexdsp'))
      report.text('libspeexdsp was not measured: apt-get install libspeexdsp-dev.');
    report.text(
      `${seconds} s of one reader, in packets of 20 ms, in virtual time: every contestant gets the same packets at the same times. ` +
        'The wait counts from the earliest time at which the network could have brought the sound; fixed buffers wait 60, 120 and 200 ms ' +
        'and conceal as ours does. libspeexdsp decides in whole packets and is counted by its decisions: it conceals as whoever uses it does.',
    );
    const { cells, better } = beaten(lines);
    report.figure({
      name: 'networks and codecs where another buffer waits no longer and conceals no more than ours',
      value: better,
      unit: `of ${cells}`,
      ...(quick ? {} : { goal: { below: 1 } }),
    });
    const worst = lines.filter(({ who, codec }) => who === 'ours' && codec === 'opus');
    const calm = worst.filter(({ jitter: ms, loss }) => ms === 0 && loss <= 0.05);
    report.figure({
      name: 'Opus without jitter: longest mean wait',
      value: Math.max(...calm.map(({ wait }) => wait)),
      unit: 'ms',
      goal: { below: 40 },
    });
    const lossy = worst.find(
      ({ network, loss, jitter: ms }) => network === 'spread' && loss === 0.05 && ms === 0,
    );
    if (lossy !== undefined)
      report.figure({
        name: 'Opus, 5 % loss: share of the sound that is made up, copies used',
        value: 100 * lossy.concealed,
        unit: '%',
        goal: { below: 1 },
      });
    for (const network of ['spread', 'stalls'] as const) {
      reportNetwork(report, lines, network);
      plot(report, lines, network);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
