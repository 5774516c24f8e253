import { alikeness, wordsOf, wordsShared } from './words.ts';

const FORMS = new Map(
  Object.entries({
    limited: 'ltd',
    incorporated: 'inc',
    corporation: 'corp',
    company: 'co',
    private: 'pvt',
    proprietary: 'pty',
  }),
);
const NOTHING = new Set(['mr', 'mrs', 'ms', 'miss', 'dr', 'the', 'and']);

const distinctiveWords = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => !NOTHING.has(word))
    .map((word) => FORMS.get(word) ?? word);

/** An initial matches each name that begins with it. */
const sameName = (a: string, b: string): number => {
  const short = a.length === 1 ? a : b.length === 1 ? b : null;
  if (short === null) return alikeness(a, b);
  return a[0] === b[0] ? 0.9 : 0;
};

/** The similarity is from 0 to 1 and independent of the order of words. */
export const nameSimilarity = (a: string, b: string): number =>
  wordsShared(distinctiveWords(a), distinctiveWords(b), sameName);
