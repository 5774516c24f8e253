/** Names and addresses are within these limits; longer input is not compared. */
const MOST_WORDS = 64;
const MOST_CHARACTERS = 64;

const edits = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
};

export const alikeness = (a: string, b: string): number =>
  a === b ? 1 : withinLimits(a.slice(0, MOST_CHARACTERS), b.slice(0, MOST_CHARACTERS));

const withinLimits = (a: string, b: string): number => 1 - edits(a, b) / Math.max(a.length, b.length, 1);

export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, MOST_WORDS);

export function wordsShared(a: readonly string[], b: readonly string[], same = alikeness): number {
  const left = [...b];
  let sum = 0;
  for (const word of a) {
    const scores = left.map((other) => same(word, other));
    const best = scores.indexOf(Math.max(...scores));
    if (best < 0 || scores[best]! < 0.7) continue;
    sum += scores[best]!;
    left.splice(best, 1);
  }
  return (2 * sum) / Math.max(1, a.length + b.length);
}
