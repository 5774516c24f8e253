import type { ReadField } from '../contract.ts';
import { type FormatContext, type Formatted, formatted } from '../formats/formats.ts';
import type { FormatName } from '../registry/schema.ts';
import type { SnapshotField } from '../registry/snapshot.ts';
import { readAs } from './character-confusion.ts';
import { type Labelled, labelled } from './labels.ts';
import { spelt } from './spelling.ts';
import { type Line, linesOf, placeOf, type ReadPage, textOf, type Word } from './words.ts';

/** The text of a PDF is exact; the rest of the doubt is whether it is the right field. */
const WRITTEN = 0.98;
const NOT_OF_FORMAT = 0.3;
/** The confidence of a value that the format had to reinterpret, or that has no label. */
const DOUBTFUL = 0.5;
/** The confidence of values that differ and have equal evidence. */
const CONTRADICTED = 0.5;
/** A longer value is cut, since the values of forms are shorter. */
const MOST_VALUE_WORDS = 100;
/** The limit holds even for a number or date with spaces between its characters. */
const MOST_CUT_WORDS = 30;
const SEVERAL_LINES: ReadonlySet<FormatName> = new Set(['address']);
const CHECKED: ReadonlySet<FormatName> = new Set(['abn', 'gstin']);
/** In these formats, the form's own words may follow a value. */
const CUT: ReadonlySet<FormatName> = new Set([
  'date',
  'phone',
  'account_number',
  'pin',
  'abn',
  'gstin',
  'pan',
  'cin',
  'company_number',
]);

export function fieldsOf(
  pages: readonly ReadPage[],
  rules: readonly SnapshotField[],
  context: FormatContext,
): ReadField[] {
  const all = rules.flatMap(({ labels }) => labels);
  const laid = pages.map((page) => ({ page, lines: linesOf(page) }));
  return rules.flatMap((rule) => {
    const several = SEVERAL_LINES.has(rule.format);
    const found = laid.flatMap(({ page, lines }) =>
      labelled(lines, page.ratio, rule.labels, all, several).map((each) =>
        candidateOf(page, rule, each, context),
      ),
    );
    const best =
      bestOf(found) ?? bestOf(laid.flatMap(({ page, lines }) => unlabelled(page, lines, rule, context)));
    return best === null ? [] : [best];
  });
}

/** A check digit identifies a value even where its label was not recognized. */
function unlabelled(
  page: ReadPage,
  lines: readonly Line[],
  rule: SnapshotField,
  context: FormatContext,
): Candidate[] {
  if (page.source === 'text' || !CHECKED.has(rule.format)) return [];
  return lines.flat().flatMap((value) => {
    const { rank, field } = candidateOf(page, rule, { rank: rule.labels.length, value }, context);
    if (field.invalid) return [];
    return [{ rank, field: { ...field, confidence: Math.min(field.confidence, DOUBTFUL) } }];
  });
}

interface Candidate {
  readonly rank: number;
  readonly field: ReadField;
}

function candidateOf(
  page: ReadPage,
  { field, format, pii_class }: SnapshotField,
  { rank, value: whole }: Labelled,
  context: FormatContext,
): Candidate {
  const value = whole.slice(0, MOST_VALUE_WORDS);
  const read = readValue(page, format, value, context);
  const words = read?.words ?? value;
  const seen = page.source === 'text' ? WRITTEN : Math.min(...words.map(({ confidence }) => confidence));
  const sure = read?.doubtful ? Math.min(seen, DOUBTFUL) : seen;
  return {
    rank,
    field: {
      field,
      value: read?.formatted.value ?? textOf(value),
      confidence: read === null ? Math.min(sure, NOT_OF_FORMAT) : sure,
      provenance: {
        source: page.source,
        page: page.number,
        box: placeOf(words),
        words: [words[0]!.index, words.at(-1)!.index],
      },
      pii_class,
      ...(read === null ? { invalid: true as const } : {}),
    },
  };
}

interface Value {
  readonly formatted: Formatted;
  readonly words: readonly Word[];
  readonly doubtful: boolean;
}

/**
 * Returns the longest match from the first word. In an image, look-alike letters and digits are replaced as the
 * format requires when nothing matches as read.
 */
function readValue(
  page: ReadPage,
  format: FormatName,
  words: readonly Word[],
  context: FormatContext,
): Value | null {
  const isPicture = page.source === 'ocr';
  const asSeen = longest(words, format, (text) => {
    const { text: value, doubtful } = isPicture ? spelt(format, text) : { text, doubtful: false };
    const read = formatted(format, value, context);
    return read === null ? null : { formatted: read, doubtful };
  });
  if (asSeen !== null || !isPicture) return asSeen;
  return longest(words, format, (text) => {
    const value = readAs(format, text);
    return value === null ? null : { formatted: value, doubtful: true };
  });
}

function longest(
  words: readonly Word[],
  format: FormatName,
  read: (text: string) => Omit<Value, 'words'> | null,
): Value | null {
  const isCut = CUT.has(format);
  const least = isCut ? 1 : words.length;
  for (
    let count = isCut ? Math.min(words.length, MOST_CUT_WORDS) : words.length;
    count >= least;
    count -= 1
  ) {
    const some = words.slice(0, count);
    const value = read(textOf(some));
    if (value !== null) return { ...value, words: some };
  }
  return null;
}

/**
 * Returns the candidate with the most specific label. A different value under a label of the same rank makes it
 * doubtful.
 */
function bestOf(candidates: readonly Candidate[]): ReadField | null {
  const valid = candidates.filter(({ field }) => field.invalid === undefined);
  const among = valid.length > 0 ? valid : candidates;
  const [best, ...others] = [...among].sort((a, b) => a.rank - b.rank);
  if (best === undefined) return null;
  const contradicted = others.some(
    ({ rank, field }) => rank === best.rank && field.value !== best.field.value,
  );
  const { confidence } = best.field;
  return contradicted ? { ...best.field, confidence: Math.min(confidence, CONTRADICTED) } : best.field;
}
