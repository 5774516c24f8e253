export interface DistinctiveTerm {
  readonly term: string;
  readonly uses: number;
}

const WORD = /\p{L}+/gu;
/** Shorter words sound like too many others. */
const FEWEST_LETTERS = 5;
const MOST_LETTERS = 40;
const MOST_TERMS = 1_000;
/** The limit is ten times the spellings of a book. */
const MOST_WORDS = 200_000;
/** The limit exceeds the number of common words of any language. */
const MOST_DISTINCTIVE_TERMS = 50_000;

export function wordCounts(texts: readonly string[]): DistinctiveTerm[] {
  const spellings = new Map<string, Map<string, number>>();
  for (const text of texts) {
    for (const [word] of text.matchAll(WORD)) {
      if (word.length < FEWEST_LETTERS || word.length > MOST_LETTERS) continue;
      const key = word.toLowerCase();
      const known = spellings.get(key);
      if (known !== undefined) known.set(word, (known.get(word) ?? 0) + 1);
      else if (spellings.size < MOST_WORDS) spellings.set(key, new Map([[word, 1]]));
    }
  }
  return [...spellings.values()]
    .map(termOf)
    .sort((a, b) => b.uses - a.uses)
    .slice(0, MOST_DISTINCTIVE_TERMS);
}

export const distinctiveTerms = (
  words: readonly DistinctiveTerm[],
  isCommon: (word: string) => boolean,
): DistinctiveTerm[] => words.filter(({ term }) => !isCommon(term.toLowerCase())).slice(0, MOST_TERMS);

function termOf(writings: ReadonlyMap<string, number>): DistinctiveTerm {
  const [most] = [...writings].sort(([, a], [, b]) => b - a);
  return { term: (most as [string, number])[0], uses: [...writings.values()].reduce((sum, n) => sum + n, 0) };
}
