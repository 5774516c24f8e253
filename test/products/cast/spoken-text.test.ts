import { describe, expect, it } from 'vitest';
import {
  PronunciationDictionary,
  saysSomething,
  stretchesOf,
  wordsOf,
} from '../../../src/products/cast/spoken-text.ts';

describe('stretches', () => {
  it('cuts at marks of pause', () => {
    expect(stretchesOf('One [pause 500ms] two. [pause 1.5s][pause 1s]')).toEqual([
      { text: 'One', pauseMs: 500 },
      { text: 'two.', pauseMs: 2500 },
    ]);
    expect(stretchesOf('[pause 99s] Go')).toEqual([
      { text: '', pauseMs: 10_000 },
      { text: 'Go', pauseMs: 0 },
    ]);
    expect(wordsOf('One [pause 500ms] two.')).toBe('One two.');
    expect(saysSomething('[pause 500ms] …')).toBe(false);
  });
});

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
