import { describe, expect, it } from 'vitest';
import { saysSomething, stretchesOf, wordsOf } from '../../../src/products/cast/spoken-text.ts';

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
