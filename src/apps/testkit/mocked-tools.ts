import type { ControlEvent, SimulatedCaller } from '../caller/index.ts';
import { MockAnswers, type Mocks } from './mock-answers.ts';
import type { Mock } from './suite.ts';

export class MockedTools {
  readonly #caller: SimulatedCaller;
  readonly #answers: MockAnswers;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(caller: SimulatedCaller, mocks: Mocks) {
    this.#caller = caller;
    this.#answers = new MockAnswers(mocks);
    caller.on('control', (message: ControlEvent) => this.#called(message));
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #called(message: ControlEvent): void {
    if (message.event !== 'tool_call') return;
    const found = this.#answers.next(String(message.name), message.arguments);
    if (found === null) return;
    const { error, result, delay_ms } = found;
    const answer = error === undefined ? { result: result ?? {} } : { error };
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#answer(message.call_id, answer);
    }, delay_ms ?? 0);
    this.#timers.add(timer);
  }

  /** An answer that cannot be sent fails the tool, not the process. */
  #answer(call_id: unknown, answer: { result: unknown } | { error: string }): void {
    try {
      this.#caller.control({ type: 'tool_result', call_id, ...answer });
    } catch (error) {
      this.#caller.control({ type: 'tool_result', call_id, error: (error as Error).message.slice(0, 200) });
    }
  }
}

export const toolOf = (name: string, { description, parameters }: Mock) => ({
  name,
  ...(description === undefined ? {} : { description }),
  ...(parameters === undefined ? {} : { parameters }),
});
