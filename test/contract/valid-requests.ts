import type { Case, ValidRequest } from './case.ts';
import type { Answer, Tenant, World } from './world.ts';

/** The whole walk sends every hostile value, credential and id; the short one sends one of each class of fault. */
export const WHOLE = process.env.TRUNKLINE_TEST_CONTRACT === 'long';

/**
 * One good request serves many calls: the next is made once a success has used it up. A refused request changes
 * nothing.
 */
export class ValidRequests {
  readonly #make: () => ValidRequest | Promise<ValidRequest>;
  #cached: Promise<ValidRequest> | null = null;

  constructor(world: World, tenant: Tenant, one: Case | undefined) {
    this.#make = () => one?.good(world, tenant) ?? {};
  }

  next(): Promise<ValidRequest> {
    this.#cached ??= Promise.resolve(this.#make());
    return this.#cached;
  }

  observe(answer: Answer): Answer {
    if (answer.status < 400) this.#cached = null;
    return answer;
  }
}
