const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';
const IRREGULAR = { first: 1, second: 2, third: 3, fifth: 5, eighth: 8, ninth: 9, twelfth: 12 };
const VALUES = new Map<string, number>([
  ...UNITS.split(' ').flatMap((word, value): [string, number][] => [
    [word, value],
    [`${word}th`, value],
  ]),
  ...Object.entries(IRREGULAR),
]);
const TENFOLD = new Map(TENS.split(' ').map((word, at): [string, number] => [word, (at + 2) * 10]));
const SAME: Record<string, string> = { okay: 'ok', mr: 'mister', mrs: 'missus', dr: 'doctor' };

/**
 * Returns lower case without marks; English numbers become single digits, and spelled letters join the word that they
 * spell.
 */
export function plainWords(text: string, language: string, join = true): string[] {
  const words = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/,(?=\d)/g, '')
    .replaceAll('%', ' percent ')
    .replaceAll('&', ' and ')
    .replace(/(\d+)(st|nd|rd|th)\b/g, '$1')
    .replace(/[^\p{L}\p{M}\p{N}\s']/gu, ' ')
    .replace(/(?<!\p{L})'|'(?!\p{L})/gu, ' ')
    .split(/\s+/)
    .filter(Boolean);
  if (language !== 'en') return words;
  return join ? joinLetters(digits(words)) : digits(words);
}

export function firstWord(text: string, language: string): string | undefined {
  return plainWords(text.replace(/(?<=\b\p{Lu})[.-]?(?=\p{Lu}\b)/gu, ' '), language, false)[0];
}

function digits(words: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i]!;
    const tens = TENFOLD.get(word);
    const next = VALUES.get(words[i + 1] ?? '');
    if (tens !== undefined && next !== undefined && next > 0 && next < 10) {
      out.push(...String(tens + next));
      i += 1;
    } else if (tens !== undefined) out.push(...String(tens));
    else if (VALUES.has(word)) out.push(...String(VALUES.get(word)));
    else if (/^\d+$/.test(word)) out.push(...word);
    else
      out.push(
        ...(SAME[word] ?? word)
          .split(/(?<=\d)(?=\D)|(?<=\D)(?=\d)/)
          .flatMap((part) => (/\d/.test(part) ? [...part] : [part])),
      );
  }
  return out;
}

function joinLetters(words: readonly string[]): string[] {
  const out: string[] = [];
  let run: string[] = [];
  for (const word of [...words, '']) {
    if (/^[a-z]$/.test(word)) {
      run.push(word);
      continue;
    }
    if (run.length > 0) out.push(run.join(''));
    run = [];
    if (word) out.push(word);
  }
  return out;
}

export interface Score {
  readonly errors: number;
  readonly words: number;
}

export function scoreText(expected: string, heard: string, language: string): Score {
  const a = plainWords(expected, language);
  const b = plainWords(heard, language);
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, word] of a.entries()) {
    let diagonal = row[0]!;
    row[0] = i + 1;
    for (let j = 1; j <= b.length; j += 1) {
      const best = Math.min(row[j]! + 1, row[j - 1]! + 1, diagonal + (word === b[j - 1] ? 0 : 1));
      diagonal = row[j]!;
      row[j] = best;
    }
  }
  return { errors: row[b.length]!, words: a.length };
}

export const pooled = (scores: readonly Score[]): number =>
  scores.reduce((sum, one) => sum + one.errors, 0) /
  Math.max(
    1,
    scores.reduce((sum, one) => sum + one.words, 0),
  );

/** Returns the 95 % bootstrap interval of the pooled rate: 1,000 fixed resamples of whole clips. */
export function interval(scores: readonly Score[]): [number, number] {
  let state = 1;
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return scores[Math.floor((state / 2 ** 32) * scores.length)]!;
  };
  const rates = Array.from({ length: 1000 }, () => pooled(scores.map(draw))).sort((a, b) => a - b);
  return [rates[25]!, rates[975]!];
}
