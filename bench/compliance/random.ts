import { randomFrom } from '../../src/foundation/platform/seeded-random.ts';

export class Random {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomFrom(seed);
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  whole(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  pick<T>(from: readonly T[]): T {
    return from[this.whole(0, from.length - 1)]!;
  }

  digits(count: number): string {
    return Array.from({ length: count }, () => this.whole(0, 9)).join('');
  }

  letters(count: number): string {
    return Array.from({ length: count }, () => this.pick([...'ABCDEFGHJKLMNPRSTUVWXYZ'])).join('');
  }
}
