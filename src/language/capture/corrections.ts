import {
  LANGUAGE_WORDS,
  type LanguageCode,
  phraseAt,
  plainText,
  type Token,
  tokensOf,
} from '../text/index.ts';
import {
  type Alphabet,
  type Character,
  type CharacterRun,
  characterRuns,
  charactersText,
} from './characters.ts';
import type { SpokenInput } from './contract.ts';
import { groupsOf } from './read-back.ts';

export type Correction =
  | { readonly kind: 'changed'; readonly heard: readonly Character[] }
  | { readonly kind: 'where'; readonly char: string }
  | { readonly kind: 'none' };

/** These characters are easily confused on a telephone line. */
const SOUND_ALIKE = ['59', '19', '68', '15', 'bdegptvc', 'mn', 'fsx', 'ajk', 'iy', 'qu', 'o0', 'h8a'];

const alike = (one: string, other: string): boolean =>
  SOUND_ALIKE.some((group) => group.includes(one) && group.includes(other));

const replaced = (heard: readonly Character[], at: number, by: readonly Character[]): Correction => ({
  kind: 'changed',
  heard: [...heard.slice(0, at), ...by, ...heard.slice(at + by.length)],
});

function placeIn(tokens: readonly Token[], language: LanguageCode, length: number): number | null {
  const { positions } = LANGUAGE_WORDS[language].spelling;
  const named = Object.entries(positions).filter(([words]) =>
    tokens.some((_, at) => phraseAt(tokens, at, [words]) > 0),
  );
  const [, place] = named.sort(([a], [b]) => b.length - a.length)[0] ?? [];
  if (place === undefined) return null;
  const at = place < 0 ? length + place : place - 1;
  return at >= 0 && at < length ? at : null;
}

function isWrong(tokens: readonly Token[], run: CharacterRun, language: LanguageCode): boolean {
  const { insteadOf, around } = LANGUAGE_WORDS[language].spelling;
  let at = run.from - 1;
  while (at >= 0 && phraseAt(tokens, at, around) > 0 && phraseAt(tokens, at, insteadOf) === 0) at--;
  return [at, at - 1].some((from) => {
    const length = from < 0 ? 0 : phraseAt(tokens, from, insteadOf);
    return length > 0 && from + length === at + 1;
  });
}

const placesOf = (heard: readonly Character[], text: string): number[] => {
  const whole = charactersText(heard);
  return [...heard.keys()].filter((at) => whole.startsWith(text, at));
};

function placeOf(heard: readonly Character[], char: string, readSoFar: number | null): number | null {
  if (readSoFar !== null && readSoFar > 0) return readSoFar - 1;
  const sounding = [...heard.keys()].filter((at) => alike(heard[at]?.char ?? '', char));
  if (sounding.length === 1) return sounding[0] ?? null;
  const among = sounding.length > 0 ? sounding : [...heard.keys()];
  const least = Math.min(...among.map((at) => heard[at]?.confidence ?? 1));
  const unsure = among.filter((at) => heard[at]?.confidence === least);
  return unsure.length === 1 ? (unsure[0] ?? null) : null;
}

function groupOf(heard: readonly Character[], run: string): number | null {
  let start = 0;
  const starts = groupsOf(heard.length).flatMap((length) => {
    start += length;
    return length === run.length ? [start - length] : [];
  });
  const unlike = (at: number): number =>
    [...run].filter((char, index) => heard[at + index]?.char !== char).length;
  const sorted = starts.sort((a, b) => unlike(a) - unlike(b));
  const [best, second] = sorted;
  return best !== undefined && (second === undefined || unlike(best) < unlike(second)) ? best : null;
}

/** Applies the caller's reply to the read-back characters. `readSoFar` is how many were played before the barge-in. */
export function applyCorrection(
  heard: readonly Character[],
  said: SpokenInput,
  options: {
    readonly language: LanguageCode;
    readonly alphabet: Alphabet;
    readonly readSoFar: number | null;
  },
): Correction {
  const { language, alphabet, readSoFar } = options;
  const tokens = tokensOf(plainText(said.text));
  const bare = withoutPositions(said, language);
  const { insteadOf } = LANGUAGE_WORDS[language].spelling;
  const contrasts = tokens.some((_, at) => phraseAt(tokens, at, insteadOf) > 0);
  const runs = characterRuns(
    contrasts ? { ...bare, text: bare.text.replaceAll(',', ';') } : bare,
    language,
    alphabet,
  );
  const wrong = runs.filter((run) => isWrong(tokens, run, language));
  const right = runs.filter((run) => !wrong.includes(run)).at(-1);
  if (right === undefined) return { kind: 'none' };
  const text = charactersText(right.characters);
  const place = placeIn(tokens, language, heard.length);
  if (place !== null && right.characters.length === 1) return replaced(heard, place, right.characters);
  const mistaken = wrong[0] === undefined ? null : charactersText(wrong[0].characters);
  if (mistaken !== null && mistaken.length === text.length) {
    const places = placesOf(heard, mistaken);
    if (places.length === 1) return replaced(heard, places[0] as number, right.characters);
  }
  if (right.characters.length === heard.length) return { kind: 'changed', heard: right.characters };
  if (right.characters.length === 1) {
    const at = placeOf(heard, text, readSoFar);
    return at === null ? { kind: 'where', char: text } : replaced(heard, at, right.characters);
  }
  const group = groupOf(heard, text);
  return group === null ? { kind: 'none' } : replaced(heard, group, right.characters);
}

export const spokenPosition = (said: SpokenInput, language: LanguageCode, length: number): number | null =>
  placeIn(tokensOf(plainText(said.text)), language, length);

/**
 * "The third one" is a position and not the digit one. The words keep their length, so that token numbers stay valid.
 */
function withoutPositions(said: SpokenInput, language: LanguageCode): SpokenInput {
  const { positions } = LANGUAGE_WORDS[language].spelling;
  const text = plainText(said.text);
  const tokens = tokensOf(text);
  const hidden = new Set<number>();
  tokens.forEach((_, at) => {
    const length = Math.max(...Object.keys(positions).map((words) => phraseAt(tokens, at, [words])));
    for (let index = at; index < at + length; index++) hidden.add(index);
    const pronoun =
      length > 0 && /^(one|digit|letter|number|character)$/.test(tokens[at + length]?.text ?? '');
    if (pronoun) hidden.add(at + length);
  });
  let masked = text;
  for (const at of hidden) {
    const { start, end } = tokens[at] as Token;
    masked = masked.slice(0, start) + 'x'.repeat(end - start) + masked.slice(end);
  }
  return { ...said, text: masked };
}
