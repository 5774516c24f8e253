import { describe, expect, it } from 'vitest';
import { ClauseSplitter } from '../../../src/conversation/session/clause-splitter.ts';
import { playedText } from '../../../src/conversation/session/playout-position.ts';
import { fc } from '../../property-tests.ts';

function cut(...deltas: string[]): string[] {
  const cutter = new ClauseSplitter();
  return [...deltas.flatMap((delta) => cutter.add(delta)), ...cutter.end()];
}

describe('clauses', () => {
  it.each<[string, string[]]>([
    ['Yes, of course. We open at nine.', ['Yes, of course.', 'We open at nine.']],
    ['Well, let me see, the doctor is in.', ['Well, let me see,', 'the doctor is in.']],
    ['It is 3.5 percent for Dr. Smith of Acme. Fine.', ['It is 3.5 percent for Dr. Smith of Acme.', 'Fine.']],
    ['हम नौ बजे खुलते हैं। फिर आइए।', ['हम नौ बजे खुलते हैं।', 'फिर आइए।']],
    ['', []],
  ])('%j', (text, pieces) => {
    expect(cut(text)).toEqual(pieces);
  });

  it('takes a breath in an answer without a mark, and looks at each word once', () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `word${index} `);
    const pieces = cut(...words);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(240);
    expect(pieces.join(' ')).toBe(words.join('').trim());
    expect(cut('x'.repeat(1_000)).map((piece) => piece.length)).toEqual([240, 240, 240, 240, 40]);
    expect(cut('🙂'.repeat(300)).join('')).toBe('🙂'.repeat(300));
  });

  it('loses and doubles nothing, however the answer arrives', () => {
    const deltas = fc.array(fc.stringMatching(/^[a-c ,.!?\n।]{0,12}$|^[ab]{90,130}$/), { maxLength: 30 });
    fc.assert(
      fc.property(deltas, (parts) => {
        const bare = (text: string) => text.replace(/\s+/g, '');
        expect(bare(cut(...parts).join(''))).toBe(bare(parts.join('')));
        expect(cut(...parts)).toEqual(cut(...parts.join('')));
      }),
    );
  });
});

describe('what was heard', () => {
  it.each([
    [0, ''],
    [500, 'one two'],
    [1_000, 'one two six ten'],
  ])('after %d ms', (playedMs, heard) => {
    expect(playedText('one two six ten', { playedMs, totalMs: 1_000, complete: true })).toBe(heard);
  });

  it.each([
    [300, 3],
    [1_000, 5],
    [4_000, 16],
  ])('after %d ms of a text that is still being synthesized is at most %d words', (playedMs, most) => {
    const text = Array(20).fill('We are open from nine in the morning.').join(' ');
    const words = playedText(text, { playedMs, totalMs: playedMs + 250, complete: false }).split(' ');
    expect(words.length).toBeLessThanOrEqual(most);
    expect(words.length).toBeGreaterThanOrEqual(Math.floor(most / 3));
  });

  it('is a prefix that only grows', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(words, fc.nat(1_000), fc.nat(1_000), (list, a, b) => {
        const text = list.join(' ');
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map((playedMs) =>
          playedText(text, { playedMs, totalMs: 1_000, complete: true }),
        );
        expect(text.startsWith(more ?? '')).toBe(true);
        expect(more?.startsWith(less ?? '')).toBe(true);
      }),
    );
  });
});
