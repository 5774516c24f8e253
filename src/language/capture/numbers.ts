import {
  fold,
  LANGUAGE_WORDS,
  type LanguageCode,
  numberLexicon,
  phraseAt,
  type Token,
  wordAt,
} from '../text/index.ts';

export interface SpokenNumber {
  readonly value: number;
  /** The digits are as written for an identifier; null for a number with a sign or a fraction. */
  readonly digits: string | null;
  /** The list holds the joined numbers: one for "twenty five", four for "four five seven two". */
  readonly atoms: readonly number[];
  readonly article: boolean;
  readonly to: number;
}

interface Found {
  readonly value: number;
  readonly to: number;
}

const isDigits = (word: string): boolean => /^\d/.test(word) && !/[/:h-]/.test(word);

const AND: Partial<Record<LanguageCode, string>> = { es: 'y', pt: 'e' };

export function smallAt(tokens: readonly Token[], at: number, language: LanguageCode): Found | null {
  const { small } = numberLexicon(language);
  const word = wordAt(tokens, at);
  const next = small.get(wordAt(tokens, at + 1));
  const value = small.get(word);
  if (value === undefined) return null;
  if (language === 'fr') return frenchSmall(tokens, at, value);
  if (value < 20 || value > 90 || value % 10 !== 0 || language === 'hi') return { value, to: at + 1 };
  const and = AND[language];
  if (and !== undefined) {
    const unit = wordAt(tokens, at + 1) === and ? small.get(wordAt(tokens, at + 2)) : undefined;
    return unit !== undefined && unit > 0 && unit < 10 && value >= (language === 'pt' ? 20 : 30)
      ? { value: value + unit, to: at + 3 }
      : { value, to: at + 1 };
  }
  const joined = language === 'en' && next !== undefined && next > 0 && next < 10 && joins(tokens[at + 1]);
  return joined ? { value: value + next, to: at + 2 } : { value, to: at + 1 };
}

const joins = (token: Token | undefined): boolean => token !== undefined && /^[\s-]*$/.test(token.gap);

/** It reads "soixante-dix-sept", "quatre-vingt-onze", "vingt et un". */
function frenchSmall(tokens: readonly Token[], at: number, first: number): Found {
  const { small } = numberLexicon('fr');
  const eighty = first === 4 && /^vingts?$/.test(wordAt(tokens, at + 1)) && joins(tokens[at + 1]);
  const value = eighty ? 80 : first;
  let to = at + (eighty ? 2 : 1);
  const and = wordAt(tokens, to) === 'et' ? 1 : 0;
  const next = small.get(wordAt(tokens, to + and));
  if (next === undefined || !joins(tokens[to])) return { value, to };
  if (value === 10)
    return and === 0 && next >= 7 && next <= 9 ? { value: 10 + next, to: to + 1 } : { value, to };
  const most = value === 60 || value === 80 ? 19 : 9;
  if (value < 20 || value % 10 !== 0 || next < 1 || next > most) return { value, to };
  if (and === 1 && next !== 1 && next !== 11) return { value, to };
  to += and + 1;
  const unit = small.get(wordAt(tokens, to));
  const teen = next === 10 && unit !== undefined && unit >= 7 && unit <= 9 && joins(tokens[to]);
  return teen ? { value: value + 10 + unit, to: to + 1 } : { value: value + next, to };
}

/** It reads 1,200 and 1.200, 3.5 and 3,5. */
function written(word: string, language: LanguageCode): number {
  const comma = language === 'en' || language === 'hi' ? ',' : '.';
  const grouped = new RegExp(`^\\d{1,3}(\\${comma}\\d{2,3})*\\${comma}\\d{3}(?!\\d)`).test(word);
  const plain = grouped ? word.replaceAll(comma, '') : word;
  return Number(plain.replace(',', '.'));
}

/** डेढ़ सौ is 150, साढ़े तीन हज़ार 3,500. */
export const HINDI_PARTS: ReadonlyMap<string, { readonly add: number; readonly whole?: number }> = new Map(
  Object.entries({
    डेढ़: { add: 0, whole: 1.5 },
    ढाई: { add: 0, whole: 2.5 },
    अढ़ाई: { add: 0, whole: 2.5 },
    साढ़े: { add: 0.5 },
    सवा: { add: 0.25 },
    पौने: { add: -0.25 },
  }).map(([word, part]) => [fold(word), part]),
);

function hindiPart(tokens: readonly Token[], at: number): Found | null {
  const part = HINDI_PARTS.get(wordAt(tokens, at));
  if (part === undefined) return null;
  const small = part.whole === undefined ? smallAt(tokens, at + 1, 'hi') : { value: part.whole, to: at + 1 };
  if (small === null) return null;
  const next = wordAt(tokens, small.to);
  const scale = numberLexicon('hi').hundreds.get(next) ?? numberLexicon('hi').scales.get(next);
  const value = (small.value + part.add) * (scale ?? 1);
  return { value, to: small.to + (scale === undefined ? 0 : 1) };
}

export function cardinalAt(tokens: readonly Token[], at: number, language: LanguageCode): Found | null {
  const words = numberLexicon(language);
  const part = language === 'hi' ? hindiPart(tokens, at) : null;
  if (part !== null) return part;
  const first = wordAt(tokens, at);
  const next = wordAt(tokens, at + 1);
  const oneOf =
    language === 'en' &&
    (first === 'a' || first === 'an') &&
    (words.hundreds.has(next) || words.scales.has(next));
  let to = oneOf ? at + 1 : at;
  let total = 0;
  let current: number | null = null;
  let open = true;
  let lowest = Number.POSITIVE_INFINITY;
  if (isDigits(first)) {
    current = written(first, language);
    to = at + 1;
    open = false;
  }
  for (;;) {
    const word = wordAt(tokens, to);
    if (to > at && !joins(tokens[to])) break;
    const hundred = words.hundreds.get(word);
    const scale = words.scales.get(word);
    if (hundred !== undefined && (current === null || current < 100)) {
      const times: number = current === null || current === 0 ? 1 : current;
      current = hundred > 100 ? (current ?? 0) + hundred : times * hundred;
      to += 1;
      open = true;
      continue;
    }
    if (scale !== undefined && scale < lowest) {
      total += (current === null || current === 0 ? 1 : current) * scale;
      [current, lowest, open] = [0, scale, true];
      to += 1;
      continue;
    }
    const anded = language === 'en' && word === 'and' && open && (current ?? total) > 0 ? 1 : 0;
    const small: Found | null = open ? smallAt(tokens, to + anded, language) : null;
    if (small === null || (current !== null && current % 100 !== 0)) break;
    current = (current ?? 0) + small.value;
    to = small.to;
    open = false;
  }
  return current === null && total === 0 ? null : { value: total + (current ?? 0), to };
}

function withFraction(tokens: readonly Token[], whole: Found, language: LanguageCode): Found | null {
  const half = phraseAt(tokens, whole.to, LANGUAGE_WORDS[language].numbers.halves);
  if (half > 0) return { value: whole.value + 0.5, to: whole.to + half };
  if (!numberLexicon(language).points.has(wordAt(tokens, whole.to))) return null;
  let digits = '';
  let to = whole.to + 1;
  for (;;) {
    const small = smallAt(tokens, to, language);
    const word = wordAt(tokens, to);
    if (small === null && !/^\d+$/.test(word)) break;
    digits += small === null ? word : String(small.value);
    to = small?.to ?? to + 1;
  }
  return digits === '' ? null : { value: Number(`${whole.value}.${digits}`), to };
}

interface Atom extends Found {
  readonly digits: string;
  readonly single: boolean;
  readonly written: boolean;
}

function atomAt(tokens: readonly Token[], at: number, language: LanguageCode): Atom | null {
  const word = wordAt(tokens, at);
  const times = numberLexicon(language).repeats.get(word);
  if (times !== undefined) {
    const isRepeated = numberLexicon(language).repeats.has(wordAt(tokens, at + 1));
    const one = isRepeated ? null : atomAt(tokens, at + 1, language);
    return one === null || one.digits.length > 1
      ? null
      : {
          value: Number(one.digits.repeat(times)),
          to: one.to,
          digits: one.digits.repeat(times),
          single: true,
          written: false,
        };
  }
  if (numberLexicon(language).zeros.has(word) && wordAt(tokens, at + 1) !== 'clock') {
    const neighbours = [at - 1, at + 1].some((near) => cardinalAt(tokens, near, language) !== null);
    return neighbours ? { value: 0, to: at + 1, digits: '0', single: true, written: false } : null;
  }
  const found = cardinalAt(tokens, at, language);
  if (found === null) return null;
  const asWritten = /^\d+$/.test(word) && found.to === at + 1;
  const digits = asWritten ? word : String(found.value);
  return { ...found, digits, single: asWritten || digits.length === 1, written: asWritten };
}

/** Digits continue over a comma ("five five five, one two three"); numbers of two words do not. */
function goesOn(token: Token | undefined, before: Atom, next: Atom): boolean {
  if (token === undefined || !/^[\s,.()-]*$/.test(token.gap)) return false;
  if (/^[\s()-]*$/.test(token.gap)) return true;
  return !/\.\s/.test(token.gap) && before.single && next.single && before.written === next.written;
}

/** Readers look for a number at every word, so that an endless one would be read as often as it has words. */
const MOST_ATOMS = 40;

/** The words behind a very long number are read as the next one. */
export function numberAt(tokens: readonly Token[], at: number, language: LanguageCode): SpokenNumber | null {
  const minus = numberLexicon(language).minus.has(wordAt(tokens, at));
  const plus = wordAt(tokens, at) === '+';
  const from = minus || plus ? at + 1 : at;
  const first = atomAt(tokens, from, language);
  if (first === null) return null;
  const fraction = withFraction(tokens, first, language);
  const whole = fraction === null && Number.isInteger(first.value);
  if (minus || !whole) {
    const { value, to } = fraction ?? first;
    return { value: minus ? -value : value, digits: null, atoms: [value], article: false, to };
  }
  const atoms: Atom[] = [first];
  let last = first;
  while (atoms.length < MOST_ATOMS) {
    const next = atomAt(tokens, last.to, language);
    if (next === null || !Number.isInteger(next.value) || !goesOn(tokens[last.to], last, next)) break;
    if (withFraction(tokens, next, language) !== null) break;
    atoms.push(next);
    last = next;
  }
  const digits = atoms.map((atom) => atom.digits).join('');
  return {
    value: atoms.length === 1 ? first.value : Number(digits),
    digits: (plus ? '+' : '') + digits,
    atoms: atoms.map(({ value }) => value),
    article: atoms.length === 1 && numberLexicon(language).articles.has(wordAt(tokens, from)),
    to: last.to,
  };
}
