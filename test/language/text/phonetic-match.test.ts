import { describe, expect, it } from 'vitest';
import { findPhonetic, mayContain } from '../../../src/language/text/index.ts';

function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const words = (sounds: readonly string[]) => {
  let at = 0;
  return sounds.map((sound) => {
    const start = at;
    at += sound.length + 1;
    return { sounds: sound, start, end: at - 1 };
  });
};

describe('phrases by their sound', () => {
  it('stand where they differ by so many sounds, in whole words', () => {
    const heard = words(['skrodiŋ', 'bʌd']);
    expect(findPhonetic(heard, 'skrodiŋbʌg', 2)).toEqual([{ start: 0, end: 11, similarity: 0.9 }]);
    expect(findPhonetic(heard, 'skrodiŋbʌg', 0)).toEqual([]);
    expect(findPhonetic(heard, 'rodiŋbʌd', 1)).toEqual([]);
  });

  it('are nowhere in a text that holds none of their pieces', () => {
    const below = numbers(11);
    const made = (length: number) => Array.from({ length }, () => 'abcdefgh'[below(8)]).join('');
    let held = 0;
    let refused = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const heard = words([made(1 + below(4)), made(1 + below(4)), made(1 + below(4))]);
      const phrase = made(4 + below(4));
      const most = below(3);
      const isHeld = mayContain(heard.map(({ sounds }) => sounds).join(''), phrase, most);
      if (findPhonetic(heard, phrase, most).length > 0) {
        held += 1;
        expect(isHeld).toBe(true);
      }
      if (!isHeld) refused += 1;
    }
    expect(held).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(5_000);
  });
});
