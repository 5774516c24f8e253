import { expect, it } from 'vitest';
import { OF_DOCS } from '../../bench/knowledge/questions.ts';
import { docs, plain } from '../../bench/knowledge/texts.ts';

// The benchmark asks about the documentation as it is: a page that is rewritten must keep the answers, or the questions change.
it('finds the answer of each question of the knowledge benchmark in the documentation', () => {
  const texts = docs().map(({ text }) => plain(text));
  const lost = OF_DOCS.filter(([, phrase]) => !texts.some((text) => text.includes(plain(phrase))));
  expect(lost.map(([question]) => question)).toEqual([]);
});
