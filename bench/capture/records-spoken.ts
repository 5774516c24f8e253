import { Models } from '../../src/foundation/platform/models/index.ts';
import {
  advanceCapture,
  beginCapture,
  type CaptureRecord,
  type RecordKind,
  RecordTable,
} from '../../src/language/capture/index.ts';
import { fold } from '../../src/language/text/index.ts';
import { Engine, speechSettings } from '../../src/media/engine/index.ts';
import { StockVoices } from '../../src/speech/voices/stock.ts';
import type { Report } from '../harness/index.ts';
import { CaptureLane, overLine, say } from './noisy-line.ts';
import { KIND_OF, RECORD_CLASSES, type RecordClass, saidAs, tableOf } from './record-values.ts';
import { TABLE_ROWS } from './records.ts';
import type { Random } from './values.ts';

/** Calls are served in these languages; those in German run in English. */
const LANGUAGES = ['en', 'es', 'fr'] as const;
const VALUES = { whole: 2, quick: 1 };
const LANES = 3;
const MOST_TERMS = 200;

interface Answer {
  readonly of: RecordClass;
  readonly language: (typeof LANGUAGES)[number];
  readonly value: string;
  readonly table: RecordTable;
  readonly line: Int16Array;
}

interface Reported extends Answer {
  readonly alone: boolean;
  readonly ranked: boolean;
  readonly biased: boolean;
}

const stock = new StockVoices();

async function answersBy(engine: Engine, random: Random, values: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const language of LANGUAGES) {
    const voice = (stock.defaultFor(language) ?? stock.default).id;
    for (const of of RECORD_CLASSES) {
      const records = tableOf(of, language, TABLE_ROWS, random);
      const table = new RecordTable(records, KIND_OF[of], language);
      for (let at = 0; at < values; at++) {
        const { value } = records[Math.floor(random() * records.length)] as CaptureRecord;
        const text = saidAs(value, of, language).join(of === 'mixed codes' ? ', ' : ' ');
        const said = await say(engine, voice, `${text}.`);
        if (said !== null)
          answers.push({ of, language, value, table, line: overLine(said, answers.length * 7_919 + 17) });
      }
    }
  }
  return answers;
}

const bare = (text: string): string => fold(text).replace(/[\s-]/g, '');

function readAlone(finals: readonly string[], kind: RecordKind, language: Answer['language']): string | null {
  let current = beginCapture({ kind, hints: { language } });
  for (const text of finals)
    if (current.kind === 'ask') current = advanceCapture(current.state, { kind: 'said', said: { text } });
  if (current.kind === 'done') return 'value' in current.result ? current.result.value : null;
  return current.state.phase.at === 'confirming' ? current.state.phase.reading.value : null;
}

async function hear(
  engine: Engine,
  { language, line }: Answer,
  vocabulary: readonly string[],
): Promise<readonly string[]> {
  const lane = new CaptureLane(engine, language);
  lane.expect({ vocabulary: vocabulary.map((term) => ({ term })) });
  const finals = await lane.hear(line);
  lane.close();
  return finals;
}

async function report(engine: Engine, answer: Answer): Promise<Reported> {
  const { of, value, table, language } = answer;
  const isRight = (finals: readonly string[]): boolean =>
    table.rank(finals.join(' '))[0]?.record.value === value;
  const plain = await hear(engine, answer, []);
  const read = readAlone(plain, KIND_OF[of], language);
  const vocabulary = table.vocabulary(MOST_TERMS);
  const biased = vocabulary.length === 0 ? plain : await hear(engine, answer, vocabulary);
  if (process.env.BENCH_VERBOSE) console.log(value, plain, biased);
  return {
    ...answer,
    alone: read !== null && bare(read) === bare(value),
    ranked: isRight(plain),
    biased: isRight(biased),
  };
}

/** Says values of the tables over a line, and reads the first answer alone, against the records, and with their words. */
export async function measureRecordsSpoken(into: Report, random: Random, quick: boolean): Promise<void> {
  const engine = new Engine({
    slots: 2 * LANES,
    capacity: 1_000_000,
    models: new Models().wholeFiles(),
    settings: speechSettings('build-bench'),
  });
  // The engine alone does not keep the process alive.
  const awake = setInterval(() => {}, 60_000);
  try {
    await engine.prepared();
    const answers = await answersBy(engine, random, quick ? VALUES.quick : VALUES.whole);
    const queue = answers.values();
    const reported: Reported[] = [];
    const work = async (): Promise<void> => {
      for (const answer of queue) reported.push(await report(engine, answer));
    };
    await Promise.all(Array.from({ length: LANES }, work));
    notify(into, reported);
  } finally {
    clearInterval(awake);
    engine.destroy();
  }
}

function notify(into: Report, reported: readonly Reported[]): void {
  const rows = RECORD_CLASSES.flatMap((of) =>
    LANGUAGES.map((language) => {
      const some = reported.filter((one) => one.of === of && one.language === language);
      const share = (right: (one: Reported) => boolean): string =>
        some.length === 0 ? '' : ((100 * some.filter(right).length) / some.length).toFixed(1);
      return [
        ...[of, language, String(some.length)],
        ...[share(({ alone }) => alone), share(({ ranked }) => ranked), share(({ biased }) => biased)],
      ];
    }),
  );
  for (const of of RECORD_CLASSES) {
    const some = reported.filter((one) => one.of === of);
    const share = (right: (one: Reported) => boolean): number =>
      (100 * some.filter(right).length) / Math.max(1, some.length);
    into.figure({ name: `${of} said over a line, alone`, value: share(({ alone }) => alone), unit: '%' });
    into.figure({
      name: `${of} said over a line, first row right`,
      value: share(({ biased }) => biased),
      unit: '%',
    });
  }
  into.heading('Against records, in sound');
  into.text(
    `Values of tables of ${TABLE_ROWS} rows, said once by each language's own voice over G.711 at 8 kHz with noise, to a lane of Omni. Right is the first answer: ` +
      'read alone; as the first row by what was recognized without bias; and with the words of the records as a vocabulary. Mixed codes have no vocabulary. The sample is small.',
  );
  into.table(['class', 'language', 'values', 'alone, %', 'records, %', 'records and words, %'], rows);
}
