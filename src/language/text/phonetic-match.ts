/** Phrases match by sound: recognition writes other words, but the sounds stay similar. */

/** Each sound is one character. */
export interface PhoneticWord {
  readonly sounds: string;
  readonly start: number;
  readonly end: number;
}

export interface PhoneticSpan {
  readonly start: number;
  readonly end: number;
  readonly similarity: number;
}

/** Stress, length and ties hardly distinguish words. */
const MARKS = /[ˈˌːˑ‿_\s-]|\p{M}/gu;
export const normalizeIpa = (ipa: string): string => ipa.normalize('NFD').replace(MARKS, '');

/**
 * Returns false when no place of the text can match within `most` edits: with more pieces than edits, one piece is
 * intact.
 */
export function mayContain(text: string, phrase: string, most: number): boolean {
  const pieces = most + 1;
  const cut = (piece: number) => Math.floor((piece * phrase.length) / pieces);
  for (let piece = 0; piece < pieces; piece += 1)
    if (text.includes(phrase.slice(cut(piece), cut(piece + 1)))) return true;
  return false;
}

/** Returns the spans within `most` edits, in whole words; of overlapping ones, the best. */
export function findPhonetic(words: readonly PhoneticWord[], phrase: string, most: number): PhoneticSpan[] {
  const text = words.map(({ sounds }) => sounds).join('');
  if (text.length < phrase.length - most) return [];
  const bounds = boundsOf(words);
  const found: PhoneticSpan[] = [];
  for (const { from, to, edits } of ends(text, phrase, most)) {
    const first = bounds.starts.get(from);
    const last = bounds.ends.get(to);
    if (first === undefined || last === undefined || last < first) continue;
    const similarity = Math.round(100 * (1 - edits / phrase.length)) / 100;
    const span = {
      start: (words[first] as PhoneticWord).start,
      end: (words[last] as PhoneticWord).end,
      similarity,
    };
    const before = found.at(-1);
    if (before === undefined || before.end <= span.start) found.push(span);
    else if (before.similarity < similarity) found[found.length - 1] = span;
  }
  return found;
}

function boundsOf(words: readonly PhoneticWord[]) {
  const starts = new Map<number, number>();
  const ends = new Map<number, number>();
  let at = 0;
  for (const [index, { sounds }] of words.entries()) {
    if (sounds === '') continue;
    starts.set(at, index);
    at += sounds.length;
    ends.set(at, index);
  }
  return { starts, ends };
}

/**
 * The search is Sellers' approximate matching, one column for each sound. It yields the ends within `most` edits and
 * where each began.
 */
function* ends(text: string, phrase: string, most: number) {
  const size = phrase.length;
  let costs = Uint16Array.from({ length: size + 1 }, (_, row) => row);
  let begun = new Uint32Array(size + 1);
  let nextCosts = new Uint16Array(size + 1);
  let nextBegun = new Uint32Array(size + 1);
  for (let column = 1; column <= text.length; column += 1) {
    nextCosts[0] = 0;
    nextBegun[0] = column;
    const sound = text.charCodeAt(column - 1);
    for (let row = 1; row <= size; row += 1) {
      const other = phrase.charCodeAt(row - 1) === sound ? 0 : 1;
      const same = (costs[row - 1] as number) + other;
      const left = (costs[row] as number) + 1;
      const up = (nextCosts[row - 1] as number) + 1;
      const best = Math.min(same, left, up);
      nextCosts[row] = best;
      nextBegun[row] =
        best === same
          ? (begun[row - 1] as number)
          : best === left
            ? (begun[row] as number)
            : (nextBegun[row - 1] as number);
    }
    const edits = nextCosts[size] as number;
    if (edits <= most) yield { from: nextBegun[size] as number, to: column, edits };
    [costs, nextCosts] = [nextCosts, costs];
    [begun, nextBegun] = [nextBegun, begun];
  }
}
