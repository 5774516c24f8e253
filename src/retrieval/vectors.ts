/** Vectors of unit length in a byte a number: a quarter of the memory, and sums that processors take in whole registers. */

export const VECTOR_SIZE = 384;
/** Of one; the largest number in a sentence's vector is near 0.25, and what is larger is cut. */
const STEPS = 400;

export function quantised(vector: Float32Array): Int8Array {
  return Int8Array.from(vector, (value) => Math.max(-127, Math.min(127, Math.round(value * STEPS))));
}

/** The cosine that a sum of products of two such vectors stands for. */
export const likenessOfSum = (sum: number): number => sum / (STEPS * STEPS);

export interface Neighbour {
  readonly row: number;
  readonly likeness: number;
}

/** The `most` rows that are most alike `query`, best first. `rows` holds `count` vectors, one behind the other. */
export type Nearest = (rows: Int8Array, count: number, query: Int8Array, most: number) => Neighbour[];

export const nearestRows: Nearest = (rows, count, query, most) => {
  const best = new Best(most);
  for (let row = 0; row < count; row += 1) best.offer(row, sumOf(rows, row * VECTOR_SIZE, query));
  return best.list();
};

function sumOf(rows: Int8Array, from: number, query: Int8Array): number {
  let sum = 0;
  for (let at = 0; at < VECTOR_SIZE; at += 1) sum += (rows[from + at] as number) * (query[at] as number);
  return sum;
}

/** The largest sums seen so far: a heap with the smallest of them on top. */
class Best {
  readonly #most: number;
  readonly #sums: number[] = [];
  readonly #rows: number[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  offer(row: number, sum: number): void {
    if (this.#sums.length === this.#most) {
      if (sum <= (this.#sums[0] ?? 0)) return;
      this.#place(0, row, sum);
      this.#sink();
    } else {
      this.#place(this.#sums.length, row, sum);
      this.#rise();
    }
  }

  list(): Neighbour[] {
    return this.#rows
      .map((row, at) => ({ row, likeness: likenessOfSum(this.#sums[at] ?? 0) }))
      .sort((a, b) => b.likeness - a.likeness || a.row - b.row);
  }

  #rise(): void {
    for (let at = this.#sums.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (this.#sum(parent) <= this.#sum(at)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      if (left >= this.#sums.length) return;
      const right = left + 1;
      const child = right < this.#sums.length && this.#sum(right) < this.#sum(left) ? right : left;
      if (this.#sum(at) <= this.#sum(child)) return;
      this.#swap(at, child);
      at = child;
    }
  }

  #sum = (at: number): number => this.#sums[at] as number;

  #place(at: number, row: number, sum: number): void {
    this.#rows[at] = row;
    this.#sums[at] = sum;
  }

  #swap(a: number, b: number): void {
    const [row, sum] = [this.#rows[a] as number, this.#sum(a)];
    this.#place(a, this.#rows[b] as number, this.#sum(b));
    this.#place(b, row, sum);
  }
}
