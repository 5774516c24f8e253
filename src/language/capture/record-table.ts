import {
  fold,
  LANGUAGE_WORDS,
  type LanguageCode,
  numberLexicon,
  phraseAt,
  plainText,
  type Token,
  tokensOf,
} from '../text/index.ts';
import { type Anchored, align, distance, LETTER_COSTS, SOUND_COSTS } from './alignment.ts';
import { characterRuns, charactersText } from './characters.ts';
import { numberAt } from './numbers.ts';
import { lettersOf, soundsOf } from './sounds.ts';

/** One row of the customer's own records. */
export interface CaptureRecord {
  readonly value: string;
  readonly id?: string;
  /** The agent says it instead of the value; it tells rows of the same value apart. */
  readonly label?: string;
  /** Other ways in which callers say the value. */
  readonly spoken?: readonly string[];
}

export const recordsIn = (rows: readonly (string | CaptureRecord)[]): CaptureRecord[] =>
  rows.map((row) => (typeof row === 'string' ? { value: row } : row));

export interface RecordCandidate {
  readonly record: CaptureRecord;
  /** 0 is a perfect match. */
  readonly cost: number;
  /** Every character was spelled, and each is right. */
  readonly spelled: boolean;
}

/** The kinds whose values are read character by character. */
export type RecordKind = 'name' | 'code' | 'email' | 'digits' | 'phone';
export const RECORD_KINDS = ['name', 'code', 'email', 'digits', 'phone'] as const;

const SPELLED_ALONE: ReadonlySet<RecordKind> = new Set(['code', 'digits', 'phone']);

interface Form {
  readonly sounds: string;
  readonly letters: string;
  readonly partial: boolean;
}

interface Row {
  readonly record: CaptureRecord;
  readonly forms: readonly Form[];
  readonly keys: readonly string[];
}

/** Returns the letters that the caller points out, as in "with D T". */
export function lettersPointedOut(said: string, language: LanguageCode): string | null {
  const plain = plainText(said);
  return pointedOut(plain, tokensOf(plain), language)?.letters ?? null;
}

/** Returns whether the letters tell the value apart from the other: "one F" is not in Hoffmann where F stands twice. */
export function distinguishes(pointed: string, value: string, other: string): boolean {
  const [one, two] = [lettersOf(value), lettersOf(other)];
  if (one.includes(pointed) !== two.includes(pointed)) return one.includes(pointed);
  const doubled = pointed + pointed;
  return pointed.length === 1 && one.includes(pointed) && !one.includes(doubled) && two.includes(doubled);
}

interface HeardEvidence {
  readonly sounds: Anchored;
  /** The sounds of words such as "my name is" need no match. */
  readonly expected: number;
  readonly spelled: readonly string[];
  /** The letters that the caller pointed out: "with D T". */
  readonly letters: string | null;
  readonly words: string;
}

/** These words point out letters: "with D T", "mit Doppel-N". */
const WITH: Readonly<Record<LanguageCode, readonly string[]>> = {
  en: ['with', 'spelled', 'spelt'],
  de: ['mit'],
  es: ['con'],
  fr: ['avec'],
  it: ['con'],
  hi: ['with', 'साथ'],
  pt: ['com'],
  nl: ['met'],
};

const MOST_TOKENS = 24;
const MOST_CANDIDATES = 200;
const MOST_ALIGNED = 500;
/** A cell of an alignment takes some 5 ns, and the event loop waits for all of them. */
const MOST_CELLS = 4_000_000;
/** The longest value has 200 characters; the rest of an answer introduces it. */
const MOST_HEARD_CHARACTERS = 500;
const FEWEST_SPELLED = 3;
/** Costs are shares of the length; shorter values count as so long, because one sound is much of them. */
const LEAST_LENGTH = 4;
const UNSAID = 0.25;
const PARTIAL = 0.12;
const TIE = 0.08;
const POINTED_OUT = { has: -0.08, lacks: 0.2 };

const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

const emailCharacters = (text: string): string => fold(text).replace(/[^\p{L}\p{N}@._+-]/gu, '');
const charactersOf = (text: string, kind: RecordKind): string =>
  kind === 'email' ? emailCharacters(text) : lettersOf(text);

function numberedTokens(tokens: readonly Token[], language: LanguageCode): { text: string; token: Token }[] {
  const found: { text: string; token: Token }[] = [];
  const { small, repeats } = numberLexicon(language);
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] as Token;
    const mayBegin = /^\d/.test(token.text) || small.has(token.text) || repeats.has(token.text);
    const number = mayBegin ? numberAt(tokens, at, language) : null;
    if (number?.digits && !number.article) found.push({ text: number.digits, token });
    else found.push({ text: token.text, token });
    at = number?.digits && !number.article ? number.to : at + 1;
  }
  return found;
}

/** The tokens are folded; the rules of sounds need the accents. */
const written = (text: string, { start, end }: Token): string => text.slice(start, end);

const soundOf = (text: string, token: Token, plain: string, language: LanguageCode): string =>
  /^\d/.test(text) ? text : soundsOf(written(plain, token), language);

function soundsIn(text: string, language: LanguageCode): string {
  const plain = plainText(text);
  return numberedTokens(tokensOf(plain), language)
    .map((one) => soundOf(one.text, one.token, plain, language))
    .join('');
}

const DIGIT_OF_LETTER = '22233344455566677778889999';

/** Letters are pressed once each on the key that carries them (ITU-T E.161). */
export const keypadDigits = (text: string): string =>
  [...lettersOf(text)]
    .map((char) => (/\d/.test(char) ? char : (DIGIT_OF_LETTER[char.charCodeAt(0) - 97] ?? '')))
    .join('');

const LATIN = /^[\p{Script=Latin}\p{N}\p{M}\p{P}\p{Z}+]*$/u;

/** The records of one lookup, ready to be compared with what callers say in one language. */
export class RecordTable {
  readonly kind: RecordKind;
  readonly language: LanguageCode;
  readonly #rows: readonly Row[];

  constructor(records: readonly CaptureRecord[], kind: RecordKind, language: LanguageCode) {
    this.kind = kind;
    this.language = language;
    this.#rows = records.map((record) => rowOf(record, kind, language));
  }

  get size(): number {
    return this.#rows.length;
  }

  /** Returns the rows that match best, at most 200, the best first. */
  rank(text: string, except: ReadonlySet<CaptureRecord> = new Set()): RecordCandidate[] {
    const comparison = new Comparison(evidenceIn(text, this.kind, this.language), this.kind);
    const rows = this.#rows.filter(({ record }) => !except.has(record));
    return comparison
      .alike(rows)
      .map((row) => ({ row, cost: comparison.roughly(row) }))
      .sort((a, b) => a.cost - b.cost)
      .slice(0, MOST_CANDIDATES)
      .map(({ row }) => comparison.exactly(row))
      .sort((a, b) => a.cost - b.cost);
  }

  /** Returns the rows that these keys stand for, one key a letter; the second list has those that begin so. */
  byKeys(pressed: string): {
    readonly whole: readonly CaptureRecord[];
    readonly begun: readonly CaptureRecord[];
  } {
    const among = (matches: (keys: string) => boolean) =>
      this.#rows.filter(({ keys }) => keys.some(matches)).map(({ record }) => record);
    return {
      whole: among((keys) => keys === pressed),
      begun: among((keys) => keys !== pressed && keys.startsWith(pressed)),
    };
  }

  /** Says whether each value can be pressed on a telephone. */
  get isKeyable(): boolean {
    return (
      this.#rows.length > 0 &&
      this.#rows.every(({ record, keys }) => keys.length > 0 && LATIN.test(record.value))
    );
  }

  /**
   * Returns words for recognition to listen for: of the likeliest rows after an answer, else of the most frequent.
   * Values that are spelled have none, because raised letters are written where none were said.
   */
  vocabulary(most: number, likeliest: readonly CaptureRecord[] = []): string[] {
    if (SPELLED_ALONE.has(this.kind)) return [];
    const counts = new Map<string, number>();
    const all = this.#rows.map(({ record }) => record);
    const rows = all.length <= most ? all : likeliest.length > 0 ? likeliest : all;
    for (const { value, spoken = [] } of rows)
      for (const word of [value, ...spoken].flatMap((one) => one.split(/[\s@._,;/+-]+/u)))
        if (/\p{L}{3}/u.test(word) && word.length <= LONGEST_TERM)
          counts.set(word, (counts.get(word) ?? 0) + 1);
    return [...counts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([word]) => word);
  }
}

const LONGEST_TERM = 64;

function rowOf(record: CaptureRecord, kind: RecordKind, language: LanguageCode): Row {
  const texts = [
    record.value,
    ...(record.label === undefined ? [] : [record.label]),
    ...(record.spoken ?? []),
  ];
  const forms = texts.flatMap((text) => formsOf(text, kind, language));
  const spelled = [...new Set(texts.flatMap((text) => spellings(text).map(keypadDigits)))];
  return { record, forms, keys: spelled.filter((keys) => keys !== '') };
}

const spellings = (text: string): string[] => {
  const long = text.toLowerCase().replace(/[äöüåø]/g, (char) => UMLAUTS[char] ?? char);
  return long === text.toLowerCase() ? [text] : [text, long];
};

function formsOf(text: string, kind: RecordKind, language: LanguageCode): Form[] {
  const sounds = SPELLED_ALONE.has(kind) ? '' : soundsIn(text, language);
  const whole = spellings(text).map((one) => ({ sounds, letters: charactersOf(one, kind), partial: false }));
  const words = kind === 'name' ? text.split(/[\s,-]+/u).filter((word) => /\p{L}{3}/u.test(word)) : [];
  const parts = words.length < 2 ? [] : [words[0] as string, words.at(-1) as string];
  return [
    ...whole,
    ...parts.flatMap((part) => {
      const sounds = soundsIn(part, language);
      return spellings(part).map((one) => ({ sounds, letters: lettersOf(one), partial: true }));
    }),
  ];
}

function evidenceIn(said: string, kind: RecordKind, language: LanguageCode): HeardEvidence {
  const plain = plainText(said.slice(-MOST_HEARD_CHARACTERS));
  const all = tokensOf(plain).slice(-MOST_TOKENS);
  const { names, around, at, dot, dash, underscore, plus } = LANGUAGE_WORDS[language].spelling;
  let from = 0;
  for (let index = 0; index < all.length; index++) {
    const length = phraseAt(all, index, names);
    if (length > 0 && index + length < all.length) from = index + length;
  }
  const tokens = all.slice(from);
  const pointed = kind === 'email' ? null : pointedOut(plain, tokens, language);
  const words = tokens.slice(0, pointed?.at ?? tokens.length);
  const starts = new Set<number>();
  const ends = new Set<number>();
  let text = '';
  let expected = 0;
  const { yes, no } = LANGUAGE_WORDS[language].consent;
  const signs = kind === 'email' ? [at, dot, dash, underscore, plus] : [];
  for (const { text: word, token } of numberedTokens(words, language)) {
    const index = words.indexOf(token);
    if (signs.some((phrases) => phraseAt(words, index, phrases) > 0)) continue;
    const sounds = soundOf(word, token, plain, language);
    if (sounds === '') continue;
    starts.add(text.length);
    text += sounds;
    ends.add(text.length);
    if ([around, yes, no].some((phrases) => phraseAt(words, index, phrases) > 0)) expected += sounds.length;
  }
  return {
    sounds: { text, starts, ends },
    expected,
    spelled: spelledIn(plain.slice(all[from]?.start ?? 0), kind, language),
    letters: pointed?.letters ?? null,
    words: lettersOf(words.map((token) => written(plain, token)).join('')),
  };
}

function pointedOut(
  plain: string,
  tokens: readonly Token[],
  language: LanguageCode,
): { at: number; letters: string } | null {
  const at = tokens.findLastIndex(({ text }) => WITH[language].includes(text));
  const next = tokens[at + 1];
  if (at < 0 || next === undefined) return null;
  const text = plain.slice(next.start);
  const doubled = /^(?:zwei|dos|deux|due|two)\s+([a-z])(?:['’]?s)?$/iu.exec(
    text.trim().replace(/[.!?]$/, ''),
  )?.[1];
  const run = characterRuns({ text }, language, 'letters').find(({ from }) => from === 0);
  const found = doubled === undefined ? charactersText(run?.characters ?? []) : doubled.repeat(2);
  return found === '' ? null : { at, letters: found.toLowerCase() };
}

function spelledIn(text: string, kind: RecordKind, language: LanguageCode): string[] {
  const runs = characterRuns({ text }, language, kind === 'name' ? 'letters' : 'both').map(({ characters }) =>
    charactersText(characters).toLowerCase(),
  );
  const found = new Set([
    runs.reduce((best, run) => (run.length > best.length ? run : best), ''),
    runs.join(''),
  ]);
  if (SPELLED_ALONE.has(kind) || kind === 'email') found.add(charactersOf(text, kind));
  return [...found].filter((run) => run.length >= (SPELLED_ALONE.has(kind) ? 1 : FEWEST_SPELLED));
}

/** Equal forms of many rows, such as first names, are compared once. */
class Comparison {
  readonly #heard: HeardEvidence;
  readonly #kind: RecordKind;
  readonly #sounds = new Map<string, number>();
  readonly #letters = new Map<string, number>();

  constructor(heard: HeardEvidence, kind: RecordKind) {
    this.#heard = heard;
    this.#kind = kind;
  }

  /** Returns the rows that share most pairs of sounds or letters with what was heard, as many as can be aligned. */
  alike(rows: readonly Row[]): readonly Row[] {
    let cells = 0;
    const fits = (row: Row): boolean => {
      cells += this.#cells(row);
      return cells <= MOST_CELLS;
    };
    const areFew = rows.length <= MOST_ALIGNED && rows.every(fits);
    if (areFew) return rows;
    const { sounds, spelled, words } = this.#heard;
    const heard = new Set([sounds.text, ...spelled, words].flatMap(pairsOf));
    const shareOf = (text: string) => {
      let shared = 0;
      for (let at = 1; at < text.length; at++) if (heard.has(pairAt(text, at))) shared += 1;
      return shared / Math.max(1, text.length - 1);
    };
    cells = 0;
    return rows
      .map((row) => ({
        row,
        share: Math.max(...row.forms.map((form) => Math.max(shareOf(form.sounds), shareOf(form.letters)))),
      }))
      .sort((a, b) => b.share - a.share)
      .slice(0, MOST_ALIGNED)
      .map(({ row }) => row)
      .filter((row, at) => fits(row) || at === 0);
  }

  #cells({ forms }: Row): number {
    const { sounds, spelled, words } = this.#heard;
    const letters = spelled.reduce((sum, run) => sum + run.length, words.length);
    return forms.reduce(
      (sum, form) => sum + form.sounds.length * sounds.text.length + form.letters.length * letters,
      0,
    );
  }

  roughly({ forms }: Row): number {
    return forms.reduce((least, form) => {
      const cost = Math.min(this.#spelled(form), this.#sound(form)) + (form.partial ? PARTIAL : 0);
      return Math.min(least, cost + this.#pointedOut(form));
    }, Number.POSITIVE_INFINITY);
  }

  exactly({ record, forms }: Row): RecordCandidate {
    let best = { cost: Number.POSITIVE_INFINITY, spelled: false };
    for (const form of forms) {
      const [spelled, sound] = [this.#spelled(form), this.#sound(form)];
      const tie = SPELLED_ALONE.has(this.#kind) ? 0 : TIE;
      const matched = Math.min(spelled + tie * sound, sound + tie * tieCost(form, this.#heard));
      const cost = matched + (form.partial ? PARTIAL : 0) + this.#pointedOut(form);
      if (cost < best.cost) best = { cost, spelled: spelled === 0 && !form.partial };
    }
    return { record, ...best, cost: Math.max(0, best.cost) };
  }

  #spelled(form: Form): number {
    return remember(this.#letters, form.letters, () => spelledCost(form, this.#heard));
  }

  #sound(form: Form): number {
    return remember(this.#sounds, form.sounds, () => soundCost(form, this.#heard));
  }

  #pointedOut(form: Form): number {
    const { letters } = this.#heard;
    if (letters === null) return 0;
    return form.letters.includes(letters) ? POINTED_OUT.has : POINTED_OUT.lacks;
  }
}

function remember(costs: Map<string, number>, key: string, compare: () => number): number {
  const known = costs.get(key);
  if (known !== undefined) return known;
  const cost = compare();
  costs.set(key, cost);
  return cost;
}

function spelledCost({ letters: wanted }: Form, { spelled }: HeardEvidence): number {
  let best = 1;
  for (const run of spelled) {
    const length = Math.max(wanted.length, run.length, 1);
    if (Math.abs(wanted.length - run.length) * 0.4 > length) continue;
    best = Math.min(best, distance(wanted, run, LETTER_COSTS) / length);
  }
  return best;
}

function soundCost({ sounds }: Form, { sounds: heard, expected }: HeardEvidence): number {
  if (sounds === '' || heard.text === '') return 1;
  const match = align(sounds, heard, SOUND_COSTS);
  if (match === null) return 1;
  const unsaid = Math.max(0, heard.text.length - (match.to - match.from) - expected);
  return Math.min(
    1,
    (match.cost + UNSAID * Math.min(unsaid, sounds.length)) / Math.max(LEAST_LENGTH, sounds.length),
  );
}

/** A pair of characters is one number: strings for the pairs of all rows would take longer than the alignments. */
const pairAt = (text: string, at: number): number => text.charCodeAt(at - 1) * 0x10000 + text.charCodeAt(at);

const pairsOf = (text: string): number[] =>
  Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => pairAt(text, at + 1));

const tieCost = ({ letters: wanted }: Form, { words }: HeardEvidence): number =>
  Math.min(1, distance(wanted, words, LETTER_COSTS) / Math.max(1, wanted.length));
