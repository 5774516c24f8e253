import { AGENT_LANGUAGE_WORDS, type AgentLanguage } from '../text/index.ts';
import { distance, SOUND_COSTS } from './alignment.ts';
import { readLetters } from './read-back.ts';
import { lettersOf, soundsOf } from './sounds.ts';

/** Values that differ by more sounds than this are told apart by their sound alone. */
const ALIKE = 1;
const MOST_LETTERS = 4;

type Pair = readonly [string, string];

/** Returns the letters that two values that sound alike differ in: "dt" and "tt" for Schmidt and Schmitt. */
export function differingLetters(one: string, other: string, language: AgentLanguage): Pair | null {
  const sounds = [one, other].map((text) =>
    text
      .split(/[\s-]+/u)
      .map((word) => soundsOf(word, language))
      .join(''),
  );
  if (distance(sounds[0] ?? '', sounds[1] ?? '', SOUND_COSTS) > ALIKE) return null;
  const [a, b] = [lettersOf(one), lettersOf(other)];
  if (a === b) return null;
  let from = 0;
  while (a[from] !== undefined && a[from] === b[from]) from++;
  let behind = 0;
  while (behind < Math.min(a.length, b.length) - from && a.at(-1 - behind) === b.at(-1 - behind)) behind++;
  const part = (text: string, [before, after]: readonly [number, number]): string =>
    text.slice(Math.max(0, from - before), text.length - behind + after);
  const wider = (
    [
      [0, 1],
      [1, 0],
    ] as const
  ).filter(([before, after]) => after <= behind && before <= from);
  const isEmpty = part(a, [0, 0]) === '' || part(b, [0, 0]) === '';
  const width =
    wider.find((sides) => isDouble(part(a, sides)) || isDouble(part(b, sides))) ??
    (isEmpty ? wider[0] : undefined) ??
    ([0, 0] as const);
  const parts = [part(a, width), part(b, width)] as const;
  return parts.some((text) => text.length > MOST_LETTERS) ? null : parts;
}

const isDouble = (text: string): boolean => /^(.)\1$/u.test(text);

/** Returns the differing letters in their spoken form: "D T" and "double T". */
export function distinction(one: string, other: string, language: AgentLanguage): Pair | null {
  const parts = differingLetters(one, other, language);
  if (parts === null) return null;
  const { double, single } = AGENT_LANGUAGE_WORDS[language].capture.records;
  const read = (text: string, counterpart: string): string => {
    const letter = text.slice(0, 1).toUpperCase();
    if (isDouble(text)) return double.replace('{}', () => letter);
    return text.length === 1 && counterpart === text + text
      ? single.replace('{}', () => letter)
      : readLetters(text);
  };
  return [read(parts[0], parts[1]), read(parts[1], parts[0])];
}
