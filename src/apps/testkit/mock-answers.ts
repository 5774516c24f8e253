import { holdsAll } from './check-call.ts';
import type { Mock, MockAnswer } from './suite.ts';

export type Mocks = Readonly<Record<string, Mock>>;

/** Answers the mocked tools of a suite in one call. */
export class MockAnswers {
  readonly #mocks: Mocks;
  /** The remaining answers of mocks that have several. */
  readonly #left: Map<string, MockAnswer[]>;

  constructor(mocks: Mocks) {
    this.#mocks = mocks;
    this.#left = new Map(Object.entries(mocks).map(([name, { answers = [] }]) => [name, [...answers]]));
  }

  /** The next that was given to these arguments, else the next of all; the last one serves on. Null: there is no such mock. */
  next(name: string, given: unknown): MockAnswer | null {
    const mock = this.#mocks[name];
    if (mock === undefined) return null;
    const left = this.#left.get(name) ?? [];
    const fitting = left.findIndex(({ arguments: args }) => args !== undefined && holdsAll(given, args));
    if (left.length > 1) return left.splice(Math.max(0, fitting), 1)[0] as MockAnswer;
    return left[0] ?? mock;
  }
}
