/** Unit vectors with one byte for each component need a quarter of the memory and suit SIMD registers. */

/** The numbers of a bundled model's vector; added models have other sizes. */
export const VECTOR_SIZE = 384;
/**
 * The value is the number of quantization steps in 1. The largest component of a sentence's vector is near 0.25, and
 * larger ones are clipped.
 */
const STEPS = 400;

export function quantised(vector: Float32Array): Int8Array {
  return Int8Array.from(vector, (value) => Math.max(-127, Math.min(127, Math.round(value * STEPS))));
}

const similarityOfSum = (sum: number): number => sum / (STEPS * STEPS);

export const similarityOf = (one: Int8Array, other: Int8Array): number =>
  similarityOfSum(one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0));

export interface Neighbour {
  readonly row: number;
  readonly similarity: number;
}

/** Returns the `most` most similar rows, best first. `rows` holds `count` consecutive vectors. */
export type Nearest = (rows: Int8Array, count: number, query: Int8Array, most: number) => Neighbour[];

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
