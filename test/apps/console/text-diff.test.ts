import { expect, it } from 'vitest';
import { SeededRandom } from '../../../src/apps/caller/index.ts';
import { diffLines } from '../../../src/apps/console/pages/text-diff.ts';

it('says which lines went and came, in order', () => {
  expect(diffLines('a\nb\nc', 'a\nx\nc\nd')).toEqual([
    { kind: 'same', text: 'a' },
    { kind: 'removed', text: 'b' },
    { kind: 'added', text: 'x' },
    { kind: 'same', text: 'c' },
    { kind: 'added', text: 'd' },
  ]);
});

it('holds both texts, and marks no more than must be marked', () => {
  const chance = new SeededRandom(11);
  const text = () =>
    Array.from(
      { length: 1 + Math.floor(chance.next() * 12) },
      () => 'abcd'[Math.floor(chance.next() * 4)],
    ).join('\n');
  for (let round = 0; round < 300; round++) {
    const [before, after] = [text(), text()];
    const parts = diffLines(before, after);
    const without = (kind: string) =>
      parts
        .filter((part) => part.kind !== kind)
        .map((part) => part.text)
        .join('\n');
    expect(without('added')).toBe(before);
    expect(without('removed')).toBe(after);
    if (before === after) expect(parts.every(({ kind }) => kind === 'same')).toBe(true);
  }
});
