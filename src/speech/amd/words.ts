/** Normalizes case and punctuation, and strips accents except those that make another letter. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’']/gu, ' ')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .map((word) => SPELLINGS[word] ?? word)
    .filter((word) => word !== '');
}

const SPELLINGS: Readonly<Record<string, string>> = {
  '0': 'zero',
  '1': 'one',
  '2': 'two',
  '3': 'three',
  '4': 'four',
  '5': 'five',
  hallo: 'hallo',
  'voice-mail': 'voicemail',
  allo: 'allô',
  okay: 'ok',
};

const SHORTEST = 5;

/** Returns the known word at a distance of one letter, or two for long words; undefined for none or several. */
export function nearest(word: string, known: ReadonlySet<string>): string | undefined {
  const most = word.length < SHORTEST ? 0 : word.length < 9 ? 1 : 2;
  if (most === 0) return undefined;
  let best: string | undefined;
  let least = most + 1;
  for (const other of known) {
    if (Math.abs(other.length - word.length) > most || other.length < SHORTEST || other[0] !== word[0])
      continue;
    const steps = distance(word, other, least);
    if (steps < least) {
      least = steps;
      best = other;
    }
  }
  return best;
}

function distance(one: string, other: string, limit: number): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; ++i) {
    const next = [i];
    for (let j = 1; j <= other.length; ++j) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)));
    }
    row = next;
    if (Math.min(...row) >= limit) return limit;
  }
  return row[other.length]!;
}
