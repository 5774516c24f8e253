import { randomFrom } from '../../src/foundation/platform/seeded-random.ts';

/** Seeded, so that the simulation has the same answer on every machine. */
export class Random {
  /** From 0 to 1, without 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = randomFrom(seed);
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  /** How many of rare, independent events happen. */
  poisson(mean: number): number {
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()));
    const floor = Math.exp(-mean);
    let count = -1;
    for (let product = 1; product > floor; count++) product *= this.next();
    return count;
  }

  /** How many of `trials` happen. */
  binomial(trials: number, chance: number): number {
    if (trials > 30 && trials * chance > 5) {
      const deviation = Math.sqrt(trials * chance * (1 - chance));
      return Math.min(trials, Math.max(0, Math.round(trials * chance + deviation * this.normal())));
    }
    let count = 0;
    for (let at = 0; at < trials; at++) if (this.next() < chance) count++;
    return count;
  }
}
