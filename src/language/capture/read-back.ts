import { LANGUAGE_WORDS, type LanguageCode } from '../text/index.ts';

/** A person reads about four characters in one breath. */
const IN_A_BREATH = 4;

export function groupsOf(length: number): number[] {
  if (length <= IN_A_BREATH) return length === 0 ? [] : [length];
  const threes = (IN_A_BREATH - (length % IN_A_BREATH)) % IN_A_BREATH;
  const count = Math.ceil(length / IN_A_BREATH);
  if (threes > count) return [3, length - 3];
  return Array.from({ length: count }, (_, at) => (at < threes ? 3 : IN_A_BREATH));
}

export function grouped(text: string, lengths: readonly number[]): string[] {
  let at = 0;
  const groups = lengths.map((length) => {
    at += length;
    return text.slice(at - length, at);
  });
  return [...groups, text.slice(at)].filter((group) => group !== '');
}

export const readDigits = (digits: string, lengths: readonly number[] = groupsOf(digits.length)): string =>
  grouped(digits, lengths)
    .map((group) => [...group].join(' '))
    .join(', ');

/** Reads a word for each letter ("B for bravo"), because most letters sound alike; digits stay as they are. */
export function readCode(code: string, language: LanguageCode): string {
  const { alphabet } = LANGUAGE_WORDS[language].spelling;
  const word = (letter: string): string => alphabet[letter.charCodeAt(0) - 97] ?? letter;
  return [...code.toLowerCase()]
    .map((char) => (/[a-z]/.test(char) ? `${char.toUpperCase()} ${AS_IN[language]} ${word(char)}` : char))
    .join(', ');
}

const AS_IN: Readonly<Record<LanguageCode, string>> = {
  en: 'as in',
  es: 'de',
  fr: 'comme',
  de: 'wie',
  hi: 'से',
  it: 'come',
  pt: 'de',
  nl: 'van',
};

export const readLetters = (text: string): string => [...text.toUpperCase()].join(' ');

/** The weekday lets the caller notice a wrong day. */
export function readDay(iso: string, language: LanguageCode): string {
  const format = {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  } as const;
  return new Intl.DateTimeFormat(`${language}-u-nu-latn`, format).format(new Date(`${iso}T00:00:00Z`));
}

export function readTime(clock: string, language: LanguageCode): string {
  const format = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(`${language}-u-nu-latn`, format).format(new Date(`1970-01-01T${clock}:00Z`));
}

export const readAmount = (minor: number, currency: string, language: LanguageCode): string =>
  new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: 'currency',
    currency,
    currencyDisplay: 'name',
  }).format(minor / 10 ** decimalsOf(currency));

export const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
