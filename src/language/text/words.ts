import { fold, plainText, tokensOf } from './tokens.ts';

/** Words as they are written, parted by spaces. */
export const written = (text: string): readonly string[] => text.normalize('NFC').split(' ');

/** Folded words, parted by spaces. */
export const list = (text: string): readonly string[] => text.split(' ').map(fold);

/** A phrase as the tokens of what somebody says spell it. */
export const phrase = (text: string): string =>
  tokensOf(plainText(text))
    .map((token) => token.text)
    .join(' ');

/** Folded phrases, parted by bars. */
export const phrases = (text: string): readonly string[] => text.split('|').map(phrase);

/** Names and their numbers, the names folded. */
export const numbered = (names: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(names).map(([name, value]) => [phrase(name), value]));

/** Tens by how many they are; `_` stands for none. */
export const tens = (text: string): readonly string[] =>
  written(text).map((word) => (word === '_' ? '' : word));

export const others = (names: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(Object.entries(names).map(([name, value]) => [name.normalize('NFC'), value]));

/** The ordinals from one on. */
export const ordinals = (text: string): Readonly<Record<string, number>> =>
  numbered(Object.fromEntries(text.split(' ').map((word, at) => [word, at + 1])));

/** Names of letters, each before its letter, parted by bars. */
export const letters = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('|').map((pair) => {
      const at = pair.lastIndexOf(' ');
      return [phrase(pair.slice(0, at)), pair.slice(at + 1)];
    }),
  );
