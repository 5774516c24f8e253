import {
  type Brain,
  BrainError,
  type BrainEvent,
  type BrainFault,
  type BrainRequest,
} from '../../../src/conversation/brains/index.ts';
import type { ManualClock } from '../../foundation/platform/manual-clock.ts';

export type BrainStep =
  | Exclude<BrainEvent, { kind: 'tool_call' }>
  | { readonly kind: 'call'; readonly name: string; readonly args: string }
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'hang' }
  | { readonly kind: 'error'; readonly fault: BrainFault };

/** Answers each request with the next script, and every later one with `last`. */
export class RandomBrain implements Brain {
  readonly name = 'random';
  open = 0;
  #asked = 0;
  readonly #clock: ManualClock;
  readonly #scripts: readonly (readonly BrainStep[])[];
  readonly #last: readonly BrainStep[];

  constructor(clock: ManualClock, scripts: readonly (readonly BrainStep[])[], last: readonly BrainStep[]) {
    this.#clock = clock;
    this.#scripts = scripts;
    this.#last = last;
  }

  async *respond(_request: BrainRequest, signal: AbortSignal): AsyncIterable<BrainEvent> {
    const script = this.#scripts[this.#asked++] ?? this.#last;
    this.open++;
    try {
      for (const [at, step] of script.entries()) {
        if (signal.aborted) return;
        if (step.kind === 'pause') await this.#pause(step.ms, signal);
        else if (step.kind === 'hang') await aborted(signal);
        else if (step.kind === 'error') throw new BrainError(step.fault, 'random', { retryable: false });
        else if (step.kind === 'call') {
          const id = `${this.#asked}.${at}`;
          yield { kind: 'tool_call', call: { id, name: step.name, arguments: step.args } };
        } else yield step;
      }
    } finally {
      this.open--;
    }
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#clock.after(ms, resolve);
      void aborted(signal).then(() => {
        stop();
        resolve();
      });
    });
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
