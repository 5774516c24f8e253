import type { Case, Good } from './case.ts';
import type { Answer, Tenant, World } from './world.ts';

/** The whole walk, with every hostile value, credential and id; else one of each class of fault. */
export const WHOLE = process.env.TRUNKLINE_TEST_CONTRACT === 'long';

/** One good request for many askings: another is made once an answer used it up. What is refused changes nothing. */
export class Goods {
  readonly #make: () => Good | Promise<Good>;
  #kept: Promise<Good> | null = null;

  constructor(world: World, tenant: Tenant, one: Case | undefined) {
    this.#make = () => one?.good(world, tenant) ?? {};
  }

  next(): Promise<Good> {
    this.#kept ??= Promise.resolve(this.#make());
    return this.#kept;
  }

  /** Gives the answer back. */
  saw(answer: Answer): Answer {
    if (answer.status < 400) this.#kept = null;
    return answer;
  }
}
