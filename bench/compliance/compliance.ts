// npm run bench -- compliance: measures the fields read of 40 documents of known truth, by how they came: as text,
// scanned, photographed. `npm run bench -- compliance seed=7 --reports FOLDER` makes 40 others.

import { Models } from '../../src/foundation/platform/models/index.ts';
import { pictureReader } from '../../src/main/compliance.ts';
import { findFfmpeg } from '../../src/media/codec/index.ts';
import { median, type Report, runBench } from '../harness/index.ts';
import { FORMS_COUNT, factsOf, type Paper, paperOf } from './papers.ts';
import { canDraw, photographed, scanned, scannedPdf } from './pictures.ts';
import { Random } from './random.ts';
import { type Compared, readPaper } from './reading.ts';

const SEED = 20_261_122;
const SURE = 0.9;

const WAYS = [
  { name: 'PDF with text', count: 16, goal: 98 },
  { name: 'scan, PNG at 200 dpi', count: 8, goal: 90 },
  { name: 'scan, PDF of a picture at 200 dpi', count: 6, goal: 90 },
  { name: 'photograph', count: 10, goal: null },
] as const;
type Way = (typeof WAYS)[number]['name'];

function bytesOf(way: Way, ffmpeg: string, paper: Paper, random: Random): [Buffer, string] {
  switch (way) {
    case 'PDF with text':
      return [paper.pdf, 'application/pdf'];
    case 'scan, PNG at 200 dpi':
      return [scanned(ffmpeg, paper.pdf, random), 'image/png'];
    case 'scan, PDF of a picture at 200 dpi':
      return [scannedPdf(ffmpeg, paper.pdf, random), 'application/pdf'];
    case 'photograph':
      return [photographed(ffmpeg, paper.pdf, random), 'image/jpeg'];
  }
}

interface Read {
  readonly way: Way;
  readonly document: string;
  readonly compared: readonly Compared[];
  readonly milliseconds: number;
}

async function readAll(quick: boolean, seed: number): Promise<Read[]> {
  const ffmpeg = findFfmpeg(null, new Models())?.path;
  const pictures = pictureReader(null, ffmpeg);
  if (ffmpeg === undefined || pictures === null || !canDraw())
    throw new Error('this benchmark needs ffmpeg, tesseract and pdftoppm (poppler-utils)');
  const random = new Random(seed);
  const reads: Read[] = [];
  let number = 0;
  for (const { name, count } of WAYS) {
    for (let at = 0; at < (quick ? 2 : count); at += 1, number += 1) {
      const form = number % FORMS_COUNT;
      const facts = factsOf(
        random,
        paperOf(form, 0, factsOf(new Random(1), 'US', Date.now())).country,
        Date.now(),
      );
      const paper = paperOf(form, Math.floor(number / FORMS_COUNT) + at, facts);
      const [bytes, type] = bytesOf(name, ffmpeg, paper, random);
      const { compared, milliseconds } = await readPaper(pictures, paper, bytes, type);
      reads.push({ way: name, document: paper.document, compared, milliseconds });
      for (const { field, truth, value, confidence, right } of compared)
        if (!right)
          console.log(
            `  ${name}, ${paper.document}.${field}: ${value ?? 'nothing'} (${confidence.toFixed(2)}), is ${truth}`,
          );
    }
  }
  return reads;
}

const share = (compared: readonly Compared[]): number =>
  (100 * compared.filter(({ right }) => right).length) / compared.length;
const wronglySure = (compared: readonly Compared[]): number =>
  compared.filter(({ right, value, confidence }) => value !== null && !right && confidence > SURE).length;

function notify(report: Report, reads: readonly Read[]): void {
  const rows: string[][] = [];
  for (const { name, goal } of WAYS) {
    const mine = reads.filter(({ way }) => way === name);
    const compared = mine.flatMap((each) => each.compared);
    const right = share(compared);
    const sure = compared.filter(({ confidence }) => confidence >= SURE).length / compared.length;
    const time = median(mine.map(({ milliseconds }) => milliseconds));
    const unit = '%';
    report.figure({
      name: `${name}: fields read right`,
      value: right,
      unit,
      ...(goal === null ? {} : { goal: { atLeast: goal } }),
    });
    report.figure({ name: `${name}: fields taken without a look`, value: 100 * sure, unit });
    report.figure({
      name: `${name}: wrong with a confidence over 0.9`,
      value: wronglySure(compared),
      unit: 'fields',
      goal: { atMost: 0 },
    });
    report.figure({ name: `${name}: time of a document`, value: time, unit: 'ms' });
    rows.push([
      name,
      String(mine.length),
      String(compared.length),
      right.toFixed(1),
      (100 * sure).toFixed(1),
      String(wronglySure(compared)),
      time.toFixed(0),
    ]);
  }
  report.heading('By how the document came');
  report.text(
    '40 documents of seven kinds and four layouts, made from known values. Scans lie up to 3° askew with the noise of a sensor; photographs are out of true, turned up to 4°, lit from one side and a little out of focus. ' +
      'A field is right when its value is the very one, after the spelling of its format; spaces, commas and the size of letters are no difference. The fonts are those of one machine: other papers will read worse.',
  );
  report.table(
    ['way', 'documents', 'fields', 'right, %', 'taken without a look, %', 'wrong and sure', 'ms, median'],
    rows,
  );
  byField(report, reads);
}

function byField(report: Report, reads: readonly Read[]): void {
  const all = reads.flatMap(({ way, compared }) => compared.map((each) => ({ way, ...each })));
  const names = [...new Set(all.map(({ field }) => field))].sort();
  report.heading('By field: right of all');
  report.table(
    ['field', ...WAYS.map(({ name }) => name)],
    names.map((field) => [
      field,
      ...WAYS.map(({ name }) => {
        const mine = all.filter((each) => each.field === field && each.way === name);
        return mine.length === 0 ? '' : `${mine.filter(({ right }) => right).length} of ${mine.length}`;
      }),
    ]),
  );
}

await runBench('compliance', 'Reading documents of compliance cases', async (report, { quick, parts }) => {
  const other = parts.find((part) => /^seed=\d+$/.test(part))?.slice('seed='.length);
  notify(report, await readAll(quick, other === undefined ? SEED : Number(other)));
});
