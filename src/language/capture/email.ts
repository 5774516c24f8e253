import { fold, LANGUAGE_WORDS, phraseAt, plainText, type Token, tokensOf, wordAt } from '../text/index.ts';
import { characterReading, missingReading } from './capture-reading.ts';
import { type Character, type CharacterRun, characterRuns, charactersText } from './characters.ts';
import { resolved } from './codes.ts';
import type { CaptureHints, CaptureReading, SpokenInput, ValueReader } from './contract.ts';

const ADDRESS = /^[a-z0-9._%+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,24}$/;
const WRITTEN = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/u;
const SURE = { written: 0.9, word: 0.75 };
const LEADS = new Set(
  'is its it s email mail e address that es correo adresse est courriel ist lautet है ईमेल indirizzo endereco é and'.split(
    ' ',
  ),
);
const MOST_BEFORE = 40;

const characters = (text: string, confidence: number): Character[] =>
  [...fold(text)].map((char) => ({ char, confidence }));

function signAt(
  tokens: readonly Token[],
  at: number,
  { language }: CaptureHints,
): { char: string; to: number } | null {
  const { at: at_, dot, dash, underscore, plus } = LANGUAGE_WORDS[language].spelling;
  const signs = [
    [underscore, '_'],
    [at_, '@'],
    [dot, '.'],
    [dash, '-'],
    [plus, '+'],
  ] as const;
  for (const [names, char] of signs) {
    const length = phraseAt(tokens, at, names);
    if (length > 0) return { char, to: at + length };
  }
  return null;
}

/** "De" ends an address, and is a letter only beside other letters. */
const isSpelled = ({ characters: spelled, from, to }: CharacterRun, tokens: readonly Token[]): boolean =>
  spelled.length > 1 || to - from > 1 || /^(\p{L}|\d+)$/u.test(wordAt(tokens, from));

function spoken(said: SpokenInput, hints: CaptureHints): Character[] | null {
  const text = plainText(said.text);
  const tokens = tokensOf(text);
  const signs = tokens.map((_, at) => signAt(tokens, at, hints));
  const sign = signs.findLastIndex((found) => found?.char === '@');
  if (sign < 1) return null;
  const runs = characterRuns(said, hints.language, 'both');
  let from = Math.max(0, sign - MOST_BEFORE);
  for (let at = from; at < sign; at++) {
    const spelled = runs.some((run) => at >= run.from && at < run.to && run.characters.length > 1);
    if (LEADS.has(wordAt(tokens, at)) && !spelled) from = at + 1;
  }
  const heard: Character[] = [];
  for (let at = from; at < tokens.length; ) {
    const found = signs[at];
    const run = runs.find((candidate) => candidate.from === at && isSpelled(candidate, tokens));
    const gap = text.slice(tokens[at - 1]?.end ?? 0, tokens[at]?.start);
    if (at > from && /^[.@_+-]$/.test(gap)) heard.push({ char: gap, confidence: SURE.written });
    if (found) heard.push({ char: found.char, confidence: SURE.written });
    else if (run) heard.push(...resolved(run.characters));
    else heard.push(...characters(wordAt(tokens, at), SURE.word));
    at = found?.to ?? run?.to ?? at + 1;
  }
  return heard;
}

export function readingOfEmail(heard: readonly Character[], hints: CaptureHints): CaptureReading {
  const value = charactersText(heard).toLowerCase();
  const missing = ADDRESS.test(value) ? null : ({ what: 'format' } as const);
  return characterReading(heard, value, missing, readBack(value, hints));
}

function readBack(address: string, { language }: CaptureHints): string {
  const { at, dot, dash, underscore, plus } = LANGUAGE_WORDS[language].spelling;
  const names: Readonly<Record<string, string>> = {
    '.': dot[0] ?? '.',
    '-': dash[0] ?? '-',
    _: underscore[0] ?? '_',
    '+': plus[0] ?? '+',
  };
  const [local = '', domain = ''] = address.split('@');
  const spelled = [...local].map((char) => names[char] ?? char.toUpperCase()).join(' ');
  const host = domain.split(/([.-])/).map((part) => names[part] ?? part);
  return `${spelled} ${at[0]} ${host.join(' ')}`;
}

export const readEmail: ValueReader = (said, _keys, hints) => {
  const written = WRITTEN.exec(said.text)?.[0];
  const heard = written === undefined ? spoken(said, hints) : characters(written, SURE.written);
  return heard === null ? missingReading() : readingOfEmail(heard, hints);
};
