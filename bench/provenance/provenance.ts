/** The mark of what is spoken here: what it outlasts, how often it is seen where it is not, what the ear has of it, its price. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Engine,
  MARK_RATE,
  readMark,
  readMarkJob,
  speechSettings,
  synthesizeJob,
} from '../../src/engine/index.ts';
import { Models } from '../../src/platform/models/index.ts';
import { provenanceOf, THRESHOLD } from '../../src/provenance/index.ts';
import { median, type Report, runBench } from '../harness/index.ts';
import { FASTEST, KOKORO, voice } from '../speak/voices.ts';
import { ATTACKS, attacked, RATE, recordingOf } from './attacks.ts';
import { misheard, signalToMark, spectralDistance } from './heard.ts';

const CODE = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const OTHERS = '0f1e2d3c4b5a69781234abcd5678ef90';
/** Deployments that made none of it: each looks for its own mark, so that a piece is as many trials. */
const STRANGERS = [
  CODE,
  ...['3a', '4b', '5c', '6d', '7e'].map((pair) => `${pair.repeat(8)}${CODE.slice(16)}`),
];
const VOICES = [FASTEST, KOKORO, 'nicole_en_us', 'kore_en_us'];
const TEXT =
  'Thank you for calling the town library. We are open from nine in the morning until six in the evening on weekdays, and from ten to two on Saturdays. ' +
  'If you would like to renew a book, please tell me the number on your card. Otherwise, I can connect you with a colleague who knows more about our collection of maps.';
const CUT = 5 * MARK_RATE * 2;

const engine = new Engine({
  models: new Models().wholeFiles(),
  settings: { ...speechSettings(mkdtempSync(join(tmpdir(), 'bench-marks-'))), 'speak.threads': '1' },
});
const awake = setInterval(() => {}, 60_000);

async function say(name: string, mark: string | undefined): Promise<Buffer> {
  const options = {
    voice: { ...voice(name), ...(mark ? { mark } : {}) },
    rate: RATE,
    format: 'pcm16',
  } as const;
  return Buffer.from(await engine.submit(synthesizeJob, options, Buffer.from(TEXT)).result());
}

const look = async (pcm: Buffer, code = CODE) =>
  readMark(await engine.submit(readMarkJob, { code, every: 5 }, pcm).result());

/** Pieces of five seconds that begin where chance has it. */
function cuts(pcm: Buffer, every = CUT): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 2 * 3137; at + CUT <= pcm.length; at += every) pieces.push(pcm.subarray(at, at + CUT));
  return pieces;
}

const wrongBits = (bits: readonly number[]): number => {
  const tag = BigInt(`0x${CODE.slice(16)}`);
  return bits.filter((bit, at) => bit > 0 !== ((tag >> BigInt(at)) & 1n) > 0).length;
};

async function robustness(report: Report, said: ReadonlyMap<string, Buffer>): Promise<void> {
  report.heading('What it outlasts');
  const rows: (string | number)[][] = [];
  let [missed, all, confused] = [0, 0, 0];
  for (const attack of ATTACKS) {
    const scores: number[] = [];
    let [found, ours, wrong, others] = [0, 0, 0, 0];
    for (const pcm of said.values()) {
      for (const piece of cuts(attacked(pcm, attack))) {
        const reading = await look(piece);
        scores.push(Math.max(reading.whole, reading.common));
        const { marked, ours: mine } = provenanceOf(reading);
        if (marked) found++;
        if (mine) ours++;
        wrong += wrongBits(reading.bits);
        if (provenanceOf(await look(piece, OTHERS)).ours) others++;
      }
    }
    const of = scores.length;
    [missed, all, confused] = [missed + of - found, all + of, confused + others];
    rows.push([
      attack.name,
      of,
      found,
      ours,
      others,
      Math.min(...scores),
      median(scores),
      (100 * wrong) / (64 * of),
    ]);
  }
  report.table(
    [
      'after',
      'cuts of 5 s',
      'found',
      'known as ours',
      'taken for another’s',
      'least score',
      'median',
      'bits wrong, %',
    ],
    rows,
  );
  report.text(
    `Scores are standard deviations over chance; from ${THRESHOLD} on a sound counts as marked. Of the tag’s 64 bits nothing is decoded: they are compared as a whole.`,
  );
  report.figure({
    name: 'cuts of 5 s in which the mark is found',
    value: (100 * (all - missed)) / all,
    unit: '%',
    goal: { atLeast: 99 },
  });
  report.figure({
    name: 'cuts that another organization is told to be its own',
    value: confused,
    unit: 'cuts',
    goal: { atMost: 0 },
  });
}

const EULER = 0.5772;

async function falseAlarms(report: Report, quick: boolean): Promise<void> {
  const folder = process.env.BENCH_SPEECH ?? join(process.cwd(), '../shared/speech');
  const manifest = join(folder, 'manifest.jsonl');
  if (!existsSync(manifest)) throw new Error(`the recordings are absent: ${folder}`);
  const paths = readFileSync(manifest, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).path as string);
  const scores: number[] = [];
  let count = 0;
  for (const path of quick ? paths.slice(0, 20) : paths) {
    for (const piece of cuts(recordingOf(join(folder, path)))) {
      count += 1;
      for (const code of quick ? STRANGERS.slice(0, 1) : STRANGERS) {
        const { whole, common } = await look(piece, code);
        scores.push(Math.max(whole, common));
      }
    }
  }
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const spread = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / (scores.length - 1));
  const width = (spread * Math.sqrt(6)) / Math.PI;
  const place = mean - EULER * width;
  const chanceOf = (threshold: number) => -Math.expm1(-Math.exp(-(threshold - place) / width));
  const seen = scores.filter((score) => score >= THRESHOLD).length;
  report.heading('Where there is none');
  report.text(
    `${count} pieces of 5 s of the project’s recordings, as they are, each looked at with ${scores.length / count} codes: ${scores.length} trials, whose largest score is ${Math.max(...scores).toFixed(2)}. A Gumbel distribution fitted to them by its moments lies at ${place.toFixed(2)} with a width of ${width.toFixed(2)}; it is what a false alarm’s probability comes from.`,
  );
  report.figure({
    name: 'false alarms in a million pieces, extrapolated',
    value: 1e6 * chanceOf(THRESHOLD),
    unit: '',
    goal: { below: 1 },
  });
  report.figure({
    name: 'false alarms seen',
    value: seen,
    unit: 'trials',
    goal: { atMost: 0 },
  });
  report.text(
    `The trials alone, of which ${seen} was a false alarm, leave with 95 % confidence fewer than ${Math.ceil((1e6 * (seen + 3)) / scores.length)} in a million: what is below that is extrapolated.`,
  );
  report.table(
    ['threshold', 'false alarms in a million, extrapolated', 'false alarms seen'],
    [7, 7.5, 8, 8.5].map((threshold) => [
      threshold,
      1e6 * chanceOf(threshold),
      scores.filter((score) => score >= threshold).length,
    ]),
  );
}

async function listening(report: Report, said: ReadonlyMap<string, Buffer>): Promise<void> {
  report.heading('What the ear has of it');
  const rows: (string | number)[][] = [];
  let [plainErrors, markedErrors, words] = [0, 0, 0];
  for (const [name, marked] of said) {
    const plain = await say(name, undefined);
    const before = await misheard(engine, plain, TEXT);
    const after = await misheard(engine, marked, TEXT);
    [plainErrors, markedErrors, words] = [
      plainErrors + before.errors,
      markedErrors + after.errors,
      words + before.words,
    ];
    rows.push([
      name,
      signalToMark(plain, marked),
      spectralDistance(plain, marked),
      before.errors,
      after.errors,
      before.words,
    ]);
  }
  report.table(
    ['voice', 'signal to mark, dB', 'spectral distance, dB', 'words wrong without', 'with', 'of'],
    rows,
  );
  report.figure({
    name: 'signal to mark, median',
    value: median(rows.map((row) => row[1] as number)),
    unit: 'dB',
  });
  report.figure({
    name: 'spectral distance, median',
    value: median(rows.map((row) => row[2] as number)),
    unit: 'dB',
    goal: { below: 1.5 },
  });
  report.figure({
    name: 'word error of Hear without the mark',
    value: (100 * plainErrors) / words,
    unit: '%',
  });
  report.figure({ name: 'word error of Hear with it', value: (100 * markedErrors) / words, unit: '%' });
  report.text('No panel of people has listened: these are measures, no verdict of ears.');
}

/** In turns, so that what else the machine does meets both. The least of each: work alone. */
async function price(report: Report, quick: boolean): Promise<void> {
  const least = { plain: Number.POSITIVE_INFINITY, marked: Number.POSITIVE_INFINITY };
  for (let run = 0; run < (quick ? 3 : 16); run++) {
    for (const kind of ['plain', 'marked'] as const) {
      const before = process.cpuUsage();
      await say(FASTEST, kind === 'marked' ? CODE : undefined);
      const { user, system } = process.cpuUsage(before);
      least[kind] = Math.min(least[kind], user + system);
    }
  }
  report.heading('What it costs');
  report.text(
    'In the voice that is made the quickest, so that the mark’s share is the largest; processor time of the whole process. It is no time that passes; other work on the machine still disturbs it, through the caches, by some percent.',
  );
  report.figure({
    name: 'share of synthesis',
    value: (100 * (least.marked - least.plain)) / least.plain,
    unit: '%',
    goal: { below: 1 },
  });
}

await runBench('provenance', 'The mark of what is spoken', async (report, { quick }) => {
  await engine.prepared();
  const said = new Map<string, Buffer>();
  for (const name of quick ? VOICES.slice(0, 1) : VOICES) said.set(name, await say(name, CODE));
  await robustness(report, said);
  await falseAlarms(report, quick);
  await listening(report, said);
  await price(report, quick);
  clearInterval(awake);
  engine.destroy();
});
