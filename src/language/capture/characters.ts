import {
  fold,
  LANGUAGE_WORDS,
  type LanguageCode,
  numberLexicon,
  phraseAt,
  plainText,
  type Token,
  tokensOf,
  wordAt,
} from '../text/index.ts';
import type { SpokenInput } from './contract.ts';
import { numberAt } from './numbers.ts';

export interface Character {
  readonly char: string;
  readonly confidence: number;
}

/** The alphabet decides what "o" and "bee" mean. */
export type Alphabet = 'digits' | 'letters' | 'both';

export interface CharacterRun {
  readonly characters: readonly Character[];
  readonly from: number;
  readonly to: number;
}

const SURE = { digit: 0.95, word: 0.97, letter: 0.8, either: 0.5 };

const NATO = LANGUAGE_WORDS.en.spelling.alphabet;
const ALSO_NATO: Readonly<Record<string, string>> = { alfa: 'a', juliett: 'j', whisky: 'w', 'x ray': 'x' };

const letterWords = new Map<LanguageCode, ReadonlyMap<string, string>>();

function wordsForLetters(language: LanguageCode): ReadonlyMap<string, string> {
  const known = letterWords.get(language);
  if (known !== undefined) return known;
  const letterAt = (at: number): string => String.fromCharCode(97 + at);
  const made = new Map([
    ...NATO.map((word, at) => [fold(word), letterAt(at)] as const),
    ...Object.entries(ALSO_NATO),
    ...LANGUAGE_WORDS[language].spelling.alphabet.map((word, at) => [fold(word), letterAt(at)] as const),
  ]);
  letterWords.set(language, made);
  return made;
}

interface Piece {
  readonly characters: readonly Character[];
  readonly to: number;
}

const piece = (text: string, confidence: number, to: number): Piece => ({
  characters: [...text].map((char) => ({ char, confidence })),
  to,
});

/** It reads "B as in bravo", "bravo", "bee", "b". */
function letterAt(tokens: readonly Token[], at: number, language: LanguageCode): Piece | null {
  const { letters } = LANGUAGE_WORDS[language].spelling;
  const byWord = wordsForLetters(language).get(wordAt(tokens, at));
  if (byWord !== undefined) return piece(byWord, SURE.word, at + 1);
  const name = Object.keys(letters).filter((key) => phraseAt(tokens, at, [key]) > 0);
  const longest = name.sort((a, b) => b.length - a.length)[0];
  const word = wordAt(tokens, at);
  const letter = longest !== undefined ? letters[longest] : /^[a-z]$/.test(word) ? word : undefined;
  if (letter === undefined) return null;
  const behind = at + (longest?.split(' ').length ?? 1);
  return explanationAt(tokens, behind, language) ?? piece(letter, SURE.letter, behind);
}

/** "AB" is how recognition writes letters that were said one by one. "AB as in bravo" explains the last of them. */
function writtenLetters(
  tokens: readonly Token[],
  at: number,
  text: string,
  language: LanguageCode,
): Piece | null {
  const token = tokens[at];
  const said = token === undefined ? '' : text.slice(token.start, token.end);
  if (!/^[A-Z]{2,6}$/.test(said)) return null;
  const letters = said.toLowerCase();
  const explained = explanationAt(tokens, at + 1, language);
  const known = explained !== null && wordsForLetters(language).has(wordAt(tokens, explained.to - 1));
  if (explained === null || !(known || explained.characters[0]?.char === letters.at(-1)))
    return piece(letters, SURE.letter, at + 1);
  const { characters } = piece(letters.slice(0, -1), SURE.letter, at + 1);
  return { characters: [...characters, ...explained.characters], to: explained.to };
}

function explanationAt(tokens: readonly Token[], at: number, language: LanguageCode): Piece | null {
  const link = phraseAt(tokens, at, LANGUAGE_WORDS[language].spelling.asIn);
  const stands = link === 0 ? '' : wordAt(tokens, at + link);
  return stands.length > 1 ? piece(stands.charAt(0), SURE.word, at + link + 1) : null;
}

function digitsAt(tokens: readonly Token[], at: number, language: LanguageCode): Piece | null {
  const number = numberAt(tokens, at, language);
  if (number?.digits) return piece(number.digits, SURE.digit, number.to);
  const { zeros } = numberLexicon(language);
  return zeros.has(wordAt(tokens, at)) ? piece('0', SURE.digit, at + 1) : null;
}

function repeatedLetter(tokens: readonly Token[], at: number, language: LanguageCode): Piece | null {
  const times = numberLexicon(language).repeats.get(wordAt(tokens, at));
  const one = times === undefined ? null : letterAt(tokens, at + 1, language);
  if (times === undefined || one === null) return null;
  return { characters: Array.from({ length: times }, () => one.characters).flat(), to: one.to };
}

function isNoCharacter(tokens: readonly Token[], at: number, language: LanguageCode): boolean {
  const before = /[,;:.!?]/u.test(tokens[at]?.gap ?? '') ? '' : wordAt(tokens, at - 1);
  if (language !== 'en') return false;
  if (wordAt(tokens, at) === 'a') return /^(is|s|be|was|not)$/.test(before);
  return (
    wordAt(tokens, at) === 'one' && /^(this|that|which|any|each|every|another|the|some|wrong)$/.test(before)
  );
}

function pieceAt(
  tokens: readonly Token[],
  at: number,
  text: string,
  language: LanguageCode,
  alphabet: Alphabet,
): Piece | null {
  if (isNoCharacter(tokens, at, language)) return null;
  const { zeros } = numberLexicon(language);
  if (alphabet === 'both' && zeros.has(wordAt(tokens, at))) return piece('0', SURE.either, at + 1);
  const digits = alphabet === 'letters' ? null : digitsAt(tokens, at, language);
  if (digits !== null || alphabet === 'digits') return digits;
  return (
    repeatedLetter(tokens, at, language) ??
    letterAt(tokens, at, language) ??
    writtenLetters(tokens, at, text, language)
  );
}

export function characterRuns(said: SpokenInput, language: LanguageCode, alphabet: Alphabet): CharacterRun[] {
  const text = plainText(said.text);
  const tokens = tokensOf(text);
  const { around, dash } = LANGUAGE_WORDS[language].spelling;
  const heard = confidencesOf(said, tokens);
  const runs: { characters: Character[]; from: number; to: number }[] = [];
  let open = false;
  for (let at = 0; at < tokens.length; ) {
    open &&= !/[;:!?]/.test(tokens[at]?.gap ?? '');
    const found = pieceAt(tokens, at, text, language, alphabet);
    if (found === null) {
      const skipped = Math.max(phraseAt(tokens, at, around), phraseAt(tokens, at, dash));
      open &&= skipped > 0;
      at += Math.max(1, skipped);
      continue;
    }
    const doubts = doubtsOf(tokens, at, found, heard, language);
    const characters = found.characters.map(({ char, confidence }, index) => ({
      char,
      confidence: Math.min(confidence, doubts[index] ?? 1),
    }));
    const run = runs.at(-1);
    if (open && run !== undefined) {
      run.characters.push(...characters);
      run.to = found.to;
    } else runs.push({ characters, from: at, to: found.to });
    open = true;
    at = found.to;
  }
  return runs;
}

function doubtsOf(
  tokens: readonly Token[],
  at: number,
  { characters, to }: Piece,
  heard: readonly number[],
  language: LanguageCode,
): number[] {
  const least = heard.slice(at, to).reduce((least, one) => Math.min(least, one), 1);
  const isRead = least < 1 && characters.every(({ char }) => /\d/.test(char));
  if (!isRead) return characters.map(() => least);
  let before = '';
  const doubts: number[] = [];
  for (let end = at + 1; end <= to; end++) {
    const digits = numberAt(tokens.slice(0, end), at, language)?.digits ?? before;
    const same = [...digits].findIndex((digit, index) => digit !== before[index]);
    for (let index = same < 0 ? digits.length : same; index < digits.length; index++)
      doubts[index] = Math.min(doubts[index] ?? 1, heard[end - 1] ?? 1);
    before = digits;
  }
  return doubts;
}

function confidencesOf({ text, words }: SpokenInput, tokens: readonly Token[]): number[] {
  if (words === undefined) return tokens.map(() => 1);
  let from = 0;
  const spans = words.map((word) => {
    const start = Math.max(from, text.indexOf(word.text, from));
    from = start + word.text.length;
    return { start, end: from, confidence: word.confidence };
  });
  return tokens.map(
    ({ start, end }) => spans.find((span) => span.start < end && start < span.end)?.confidence ?? 1,
  );
}

export const charactersText = (characters: readonly Character[]): string =>
  characters.map(({ char }) => char).join('');

export const lowestConfidence = (characters: readonly Character[]): number =>
  characters.reduce((least, { confidence }) => Math.min(least, confidence), 1);

const DOUBTFUL = 0.5;

export const doubtfulPositions = (characters: readonly Character[]): number[] =>
  characters.flatMap(({ confidence }, at) => (confidence < DOUBTFUL ? [at] : []));
