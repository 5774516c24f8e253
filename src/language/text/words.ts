import { fold, plainText, tokensOf } from './tokens.ts';

export const written = (text: string): readonly string[] => text.normalize('NFC').split(' ');

export const list = (text: string): readonly string[] => text.split(' ').map(fold);

export const phrase = (text: string): string =>
  tokensOf(plainText(text))
    .map((token) => token.text)
    .join(' ');

export const phrases = (text: string): readonly string[] => text.split('|').map(phrase);

export const numbered = (names: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(names).map(([name, value]) => [phrase(name), value]));

export const tens = (text: string): readonly string[] =>
  written(text).map((word) => (word === '_' ? '' : word));

export const others = (names: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(Object.entries(names).map(([name, value]) => [name.normalize('NFC'), value]));

export const ordinals = (text: string): Readonly<Record<string, number>> =>
  numbered(Object.fromEntries(text.split(' ').map((word, at) => [word, at + 1])));

export const letters = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('|').map((pair) => {
      const at = pair.lastIndexOf(' ');
      return [phrase(pair.slice(0, at)), pair.slice(at + 1)];
    }),
  );
