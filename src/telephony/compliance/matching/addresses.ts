import { alikeness, wordsOf, wordsShared } from './words.ts';

const SHORT = new Map(
  Object.entries({
    street: 'st',
    road: 'rd',
    avenue: 'ave',
    boulevard: 'blvd',
    drive: 'dr',
    lane: 'ln',
    court: 'ct',
    square: 'sq',
    suite: 'ste',
    apartment: 'apt',
    floor: 'fl',
    building: 'bldg',
    north: 'n',
    south: 's',
    east: 'e',
    west: 'w',
  }),
);

const shortened = (text: string): string[] => wordsOf(text).map((word) => SHORT.get(word) ?? word);

/** House numbers and post codes match exactly or not at all. */
const sameWord = (a: string, b: string): number =>
  /\d/.test(a) || /\d/.test(b) ? Number(a === b) : alikeness(a, b);

/** The maximum similarity of two addresses that each have a number which the other lacks. */
const OTHER_NUMBER = 0.5;

const lacking = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((word) => /\d/.test(word) && !b.includes(word));

export function addressSimilarity(a: string, b: string): number {
  const [left, right] = [shortened(a), shortened(b)];
  const shared = wordsShared(left, right, sameWord);
  return lacking(left, right) && lacking(right, left) ? Math.min(shared, OTHER_NUMBER) : shared;
}
