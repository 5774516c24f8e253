import { describe, expect, it } from 'vitest';
import {
  checkPronunciations,
  PronunciationDictionary,
  pronunciationsIn,
} from '../../../src/speech/voices/index.ts';

describe('dictionary', () => {
  const dictionary = new PronunciationDictionary([
    { word: 'SQL', say: 'sequel' },
    { word: 'SQL server', say: 'sequel server box' },
    { word: 'C++', say: 'see plus plus' },
    { word: 'Nguyen', say: 'win' },
  ]);

  it('puts whole words in, the longest first, whatever their case', () => {
    expect(dictionary.apply('The sql Server, SQL and MySQL.')).toBe(
      'The sequel server box, sequel and MySQL.',
    );
    expect(dictionary.apply("Nguyen's C++17 or C++.")).toBe("win's see plus plus17 or see plus plus.");
  });

  it('looks at nothing that it put in', () => {
    const loops = new PronunciationDictionary([
      { word: 'a', say: 'b' },
      { word: 'b', say: 'a' },
    ]);
    expect(loops.apply('a b')).toBe('b a');
  });
});

it('lets an entry of the voice’s language win, and leaves out those of other languages', () => {
  const entries = [
    { word: 'Jan', say: 'jan' },
    { word: 'Jan', say: 'yahn', language: 'nl' },
    { word: 'Jan', say: 'zhahn', language: 'fr' },
  ];
  const said = (language: string) =>
    new PronunciationDictionary(pronunciationsIn(language, entries)).apply('Jan');
  expect([said('nl'), said('fr'), said('en')]).toEqual(['yahn', 'zhahn', 'jan']);
});

it('refuses a word twice in one language, in any case', () => {
  const twice = [
    { word: 'Jan', say: 'yan' },
    { word: 'Jan', say: 'zhahn', language: 'fr' },
    { word: 'jan', say: 'jan' },
  ];
  expect(() => checkPronunciations(twice)).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'pronunciations.2.word' }),
  );
  expect(checkPronunciations(twice.slice(0, 2))).toHaveLength(2);
});

it('replaces words of languages without spaces wherever they stand', () => {
  const said = new PronunciationDictionary([
    { word: '小鳥遊', say: 'たかなし' },
    { word: 'ACME', say: 'アクミ' },
  ]);
  expect(said.apply('小鳥遊さんはACMEの社員です。')).toBe('たかなしさんはアクミの社員です。');
  expect(said.apply('ACMES')).toBe('ACMES');
});
