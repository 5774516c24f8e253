import type { LanguageCode } from './contract.ts';
import { LANGUAGE_WORDS } from './languages.ts';
import { numberWords } from './spelled-numbers.ts';
import { fold } from './tokens.ts';

export interface NumberLexicon {
  readonly small: ReadonlyMap<string, number>;
  readonly hundreds: ReadonlyMap<string, number>;
  readonly scales: ReadonlyMap<string, number>;
  readonly articles: ReadonlySet<string>;
  readonly repeats: ReadonlyMap<string, number>;
  readonly zeros: ReadonlySet<string>;
  readonly minus: ReadonlySet<string>;
  readonly points: ReadonlySet<string>;
}

/** These languages write a number below a thousand as one word. */
const IN_ONE_WORD: ReadonlySet<LanguageCode> = new Set(['de', 'it', 'nl']);

function lexicon(language: LanguageCode): NumberLexicon {
  const { numbers } = LANGUAGE_WORDS[language];
  const small = new Map<string, number>();
  if (IN_ONE_WORD.has(language))
    for (let value = 20; value < 1_000; value++) small.set(fold(numberWords(String(value), language)), value);
  numbers.counted.forEach((word, value) => {
    small.set(fold(word), value);
  });
  numbers.tens.forEach((word, ten) => {
    if (word !== '') small.set(fold(word), ten * 10);
  });
  for (const [word, value] of numbers.others) small.set(fold(word), value);
  for (const hundred of Object.keys(numbers.hundreds)) small.delete(hundred);
  return {
    small,
    hundreds: new Map(Object.entries(numbers.hundreds)),
    scales: new Map(Object.entries(numbers.scales)),
    articles: new Set(numbers.articles),
    repeats: new Map(Object.entries(numbers.repeats)),
    zeros: new Set(numbers.zeros),
    minus: new Set(['-', ...numbers.minus]),
    points: new Set(numbers.points),
  };
}

const known = new Map<LanguageCode, NumberLexicon>();

export function numberLexicon(language: LanguageCode): NumberLexicon {
  const lexiconOf = known.get(language) ?? lexicon(language);
  known.set(language, lexiconOf);
  return lexiconOf;
}
