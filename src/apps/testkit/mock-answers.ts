import { holdsAll } from './check-call.ts';
import type { Mock, MockAnswer } from './suite.ts';

export type Mocks = Readonly<Record<string, Mock>>;

export class MockAnswers {
  readonly #mocks: Mocks;
  readonly #left: Map<string, MockAnswer[]>;

  constructor(mocks: Mocks) {
    this.#mocks = mocks;
    this.#left = new Map(Object.entries(mocks).map(([name, { answers = [] }]) => [name, [...answers]]));
  }

  /**
   * Returns the next answer for these arguments, or the next of all; the last one repeats. Returns null where the
   * suite has no such mock.
   */
  next(name: string, given: unknown): MockAnswer | null {
    const mock = this.#mocks[name];
    if (mock === undefined) return null;
    const left = this.#left.get(name) ?? [];
    const fitting = left.findIndex(({ arguments: args }) => args !== undefined && holdsAll(given, args));
    if (left.length > 1) return left.splice(Math.max(0, fitting), 1)[0] as MockAnswer;
    return left[0] ?? mock;
  }
}
