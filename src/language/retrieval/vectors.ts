/** Vectors of unit length in a byte a number: a quarter of the memory, and sums that processors take in whole registers. */

export const VECTOR_SIZE = 384;
/**
 * The quantization steps of 1; the largest component of a sentence's vector is near 0.25, and larger ones are
 * clipped.
 */
const STEPS = 400;

export function quantised(vector: Float32Array): Int8Array {
  return Int8Array.from(vector, (value) => Math.max(-127, Math.min(127, Math.round(value * STEPS))));
}

/** The cosine that a sum of products of two such vectors stands for. */
const similarityOfSum = (sum: number): number => sum / (STEPS * STEPS);

export interface Neighbour {
  readonly row: number;
  readonly similarity: number;
}

/** The `most` rows that are most alike `query`, best first. `rows` holds `count` vectors, one behind the other. */
export type Nearest = (rows: Int8Array, count: number, query: Int8Array, most: number) => Neighbour[];

/** Row and sum of products by turns, best first: the engine takes the sums. */
export type NearestSums = (rows: Int8Array, count: number, query: Int8Array, most: number) => Int32Array;

export const nearestBy =
  (sums: NearestSums): Nearest =>
  (rows, count, query, most) => {
    const found = sums(rows, count, query, most);
    return Array.from({ length: found.length / 2 }, (_, at) => ({
      row: found[2 * at] as number,
      similarity: similarityOfSum(found[2 * at + 1] as number),
    }));
  };
