/** Measures the watermark: which attacks it survives, its false-positive rate, its audibility and its cost. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import {
  Engine,
  readWatermark,
  readWatermarkJob,
  speechSettings,
  synthesizeJob,
  WATERMARK_RATE,
} from '../../src/media/engine/index.ts';
import { byChance, provenanceOf, thresholdOf } from '../../src/products/provenance/index.ts';
import { median, type Report, runBench, runNative } from '../harness/index.ts';
import { buildPrograms } from '../kernels/build.ts';
import { FASTEST, KOKORO, voice } from '../speak/voices.ts';
import { ATTACKS, attacked, RATE, recordingOf } from './attacks.ts';
import { recognitionErrors, signalToWatermark, spectralDistance } from './audibility.ts';

const CODE = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const OTHERS = '0f1e2d3c4b5a69781234abcd5678ef90';
const UNMARKED = [
  CODE,
  ...['3a', '4b', '5c', '6d', '7e'].map((pair) => `${pair.repeat(8)}${CODE.slice(16)}`),
];
const VOICES = [FASTEST, KOKORO, 'nicole_en_us', 'kore_en_us'];
const TEXT =
  'Thank you for calling the town library. We are open from nine in the morning until six in the evening on weekdays, and from ten to two on Saturdays. ' +
  'If you would like to renew a book, please tell me the number on your card. Otherwise, I can connect you with a colleague who knows more about our collection of maps.';
const CUT = 5 * WATERMARK_RATE * 2;

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
  readWatermark(await engine.submit(readWatermarkJob, { code, every: 5 }, pcm).result());

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
    `Scores are standard deviations of what chance gives; from ${thresholdOf(1).toFixed(2)} on a piece counts as marked, a recording of ten minutes from ${thresholdOf(240).toFixed(2)} on. Of the tag’s 64 bits nothing is decoded: they are compared as a whole.`,
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

async function falseAlarms(report: Report, quick: boolean): Promise<void> {
  const folder = process.env.BENCH_SPEECH ?? join(process.cwd(), '../shared/speech');
  const manifest = join(folder, 'manifest.jsonl');
  if (!existsSync(manifest)) throw new Error(`the recordings are absent: ${folder}`);
  const paths = readFileSync(manifest, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).path as string);
  const scores: number[] = [];
  let [count, windows] = [0, 1];
  for (const path of quick ? paths.slice(0, 20) : paths) {
    for (const piece of cuts(recordingOf(join(folder, path)))) {
      count += 1;
      for (const code of quick ? UNMARKED.slice(0, 1) : UNMARKED) {
        const { whole, common, windows: looked } = await look(piece, code);
        windows = Math.max(windows, looked);
        scores.push(Math.max(whole, common));
      }
    }
  }
  const threshold = thresholdOf(windows);
  const seen = scores.filter((score) => score >= threshold).length;
  report.heading('Where there is none');
  report.text(
    `${count} pieces of 5 s of the project’s recordings, as they are, each looked at with ${scores.length / count} codes: ${scores.length} trials, whose largest score is ${Math.max(...scores).toFixed(2)}.`,
  );
  report.text(
    `How probable a false alarm is follows from how the mark is read, and from no recording: the signs of a code that the sound has nothing to do with are drawn as by coins, each of the 81,120 delays and speeds that are tried of each of a piece’s ${windows} windows is a sum of levels with such signs, in units of its own deviation, and by Hoeffding such a sum passes t with a probability of at most exp(−t²/2). The trials can only prove that wrong.`,
  );
  report.figure({
    name: 'false alarms in a million pieces, at most',
    value: 1e6 * byChance(threshold, windows),
    unit: '',
    goal: { atMost: 1 },
  });
  report.figure({
    name: 'false alarms seen',
    value: seen,
    unit: 'trials',
    goal: { atMost: 0 },
  });
  report.table(
    ['score', 'share of pieces at most, by the bound', 'share of trials seen'],
    [4, 4.5, 5, 5.5, 6, threshold].map((score) => [
      score,
      byChance(score, windows),
      scores.filter((one) => one >= score).length / scores.length,
    ]),
  );
}

async function listening(report: Report, said: ReadonlyMap<string, Buffer>): Promise<void> {
  report.heading('What the ear has of it');
  const rows: (string | number)[][] = [];
  let [plainErrors, markedErrors, words] = [0, 0, 0];
  for (const [name, marked] of said) {
    const plain = await say(name, undefined);
    const before = await recognitionErrors(engine, plain, TEXT);
    const after = await recognitionErrors(engine, marked, TEXT);
    [plainErrors, markedErrors, words] = [
      plainErrors + before.errors,
      markedErrors + after.errors,
      words + before.words,
    ];
    rows.push([
      name,
      signalToWatermark(plain, marked),
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

interface Cost {
  readonly rate: number;
  readonly who: string;
  readonly least: number;
  readonly median: number;
}
const JOE_RATE = 22_050;

/**
 * Times the watermark and the voice separately, with the minimum of many runs of each: other work on the machine
 * disturbs their difference by more than the watermark costs.
 */
async function price(report: Report, quick: boolean): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let seconds = 0;
  for (let run = 0; run < (quick ? 3 : 16); run++) {
    const before = process.cpuUsage();
    const said = await say(FASTEST, undefined);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1e6);
    seconds = said.length / 2 / RATE;
  }
  const costs = runNative<Cost>(buildPrograms(['mark']).mark!);
  const best = costs.filter(({ rate }) => rate === JOE_RATE).reduce((a, b) => (b.least < a.least ? b : a));
  const marking = (best.least * best.rate) / 1e9;
  report.heading('What it costs');
  report.text(
    'In the voice that is made the quickest, so that the mark’s share is the largest: processor time of a second of its sound, and of the mark in it, each the least of many runs.',
  );
  report.table(
    ['rate', 'kernel', 'ns a sample, least', 'median'],
    costs.map(({ rate, who, least: few, median: usual }) => [rate, who, few, usual]),
  );
  report.figure({ name: 'synthesis of a second', value: (1000 * least) / seconds, unit: 'ms' });
  report.figure({ name: 'mark in a second', value: 1000 * marking, unit: 'ms' });
  report.figure({
    name: 'share of synthesis',
    value: (100 * marking * seconds) / least,
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
