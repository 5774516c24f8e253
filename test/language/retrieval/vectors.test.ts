// @requirement Knowledge: The engine searches vectors by int8 products.
import { describe, expect, it } from 'vitest';
import { nearestBy, quantised, VECTOR_SIZE } from '../../../src/language/retrieval/index.ts';
import { nearestSums } from '../../../src/media/engine/index.ts';

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

const random = randomOf(7);
const COUNT = 700;
const rows = Int8Array.from({ length: COUNT * VECTOR_SIZE }, () => Math.round(random() * 254 - 127));
const query = Int8Array.from({ length: VECTOR_SIZE }, () => Math.round(random() * 254 - 127));

const exact = Array.from({ length: COUNT }, (_, row) => ({
  row,
  sum: query.reduce((sum, value, at) => sum + value * (rows[row * VECTOR_SIZE + at] as number), 0),
})).sort((a, b) => b.sum - a.sum || a.row - b.row);

describe('the nearest vectors', () => {
  it('are those with the largest sums, to the last integer', () => {
    const found = [...nearestSums(rows, COUNT, query, 60)];
    expect(found).toEqual(exact.slice(0, 60).flatMap(({ row, sum }) => [row, sum]));
  });

  it('are looked for among as many as there are', () => {
    const found = nearestSums(rows, 5, query, 60);
    expect(found).toHaveLength(10);
    expect(nearestSums(rows, COUNT + 1_000, query, COUNT + 1_000)).toHaveLength(2 * COUNT);
    expect(nearestSums(new Int8Array(0), 0, query, 60)).toHaveLength(0);
  });

  it('tell the cosine of what was quantised', () => {
    const vector = Float32Array.from({ length: VECTOR_SIZE }, () => random() - 0.5);
    const norm = Math.hypot(...vector);
    const unit = quantised(vector.map((value) => value / norm));
    const [same] = nearestBy(nearestSums)(unit, 1, unit, 1);
    expect(same?.row).toBe(0);
    expect(same?.similarity).toBeCloseTo(1, 1);
  });
});
