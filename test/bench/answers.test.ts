import { describe, expect, it } from 'vitest';
import {
  ANSWERS,
  byLength,
  FIRST_CLAUSE_WORDS,
  lengthOfAnswer,
  wordsOfFirstClause,
} from '../../bench/harness/index.ts';

describe('the answers of the benchmarks', () => {
  it('begin with clauses of as many words as they say', () => {
    for (const { words, text } of ANSWERS) expect([text, wordsOfFirstClause(text)]).toEqual([text, words]);
  });

  it('are as many of each length, none like another', () => {
    for (const length of FIRST_CLAUSE_WORDS)
      expect(ANSWERS.filter(({ words }) => words === length)).toHaveLength(4);
    expect(new Set(ANSWERS.map(({ text }) => text.slice(0, 12))).size).toBe(ANSWERS.length);
  });

  it('are told by how they begin', () => {
    for (const { words, text } of ANSWERS) expect(lengthOfAnswer(text.slice(0, 20))).toBe(words);
    expect(lengthOfAnswer('Something else entirely.')).toBeNull();
    expect(lengthOfAnswer('')).toBeNull();
  });

  it('are counted by length', () => {
    expect(byLength([3, 40, 3, 7], (value) => value)).toEqual([
      { words: 3, values: [3, 3] },
      { words: 40, values: [40] },
    ]);
  });
});
