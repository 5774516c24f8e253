import type { Caller, Control } from '../caller/index.ts';
import { holdsAll } from './judge.ts';
import type { Mock, MockAnswer } from './suite.ts';

/** Answers the tools of one call as the suite says. */
export class MockedTools {
  readonly #caller: Caller;
  readonly #mocks: Readonly<Record<string, Mock>>;
  /** Of mocks with several answers: those that are left. */
  readonly #left: Map<string, MockAnswer[]>;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(caller: Caller, mocks: Readonly<Record<string, Mock>>) {
    this.#caller = caller;
    this.#mocks = mocks;
    this.#left = new Map(Object.entries(mocks).map(([name, { answers = [] }]) => [name, [...answers]]));
    caller.on('control', (message: Control) => this.#called(message));
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #called(message: Control): void {
    if (message.event !== 'tool_call') return;
    const mock = this.#mocks[String(message.name)];
    if (mock === undefined) return;
    const { error, result, delay_ms } = this.#answerOf(String(message.name), mock, message.arguments);
    const answer = error === undefined ? { result: result ?? {} } : { error };
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#answer(message.call_id, answer);
    }, delay_ms ?? 0);
    this.#timers.add(timer);
  }

  /** The next that was given to these arguments, else the next of all; the last one serves on. */
  #answerOf(name: string, mock: Mock, given: unknown): MockAnswer {
    const left = this.#left.get(name) ?? [];
    const fitting = left.findIndex(({ arguments: args }) => args !== undefined && holdsAll(given, args));
    const at = Math.max(0, fitting);
    if (left.length > 1) return left.splice(at, 1)[0] as MockAnswer;
    return left[0] ?? mock;
  }

  /** What cannot be sent is an error of the tool, never of the process. */
  #answer(call_id: unknown, answer: { result: unknown } | { error: string }): void {
    try {
      this.#caller.control({ type: 'tool_result', call_id, ...answer });
    } catch (error) {
      this.#caller.control({ type: 'tool_result', call_id, error: (error as Error).message.slice(0, 200) });
    }
  }
}

/** As a session is configured with it. */
export const toolOf = (name: string, { description, parameters }: Mock) => ({
  name,
  ...(description === undefined ? {} : { description }),
  ...(parameters === undefined ? {} : { parameters }),
});
