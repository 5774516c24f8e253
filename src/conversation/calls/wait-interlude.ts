import type { Clock } from '../../foundation/platform/clock.ts';
import type { Interlude, InterludeInput, InterludeStep } from '../session/index.ts';

export type ClassifyLine = (text: string) => 'person' | 'machine' | 'hold';

export interface WaitOptions {
  readonly clock: Clock;
  /** With `hold_end`, a person or a machine ends the wait; with `human`, only a person does. */
  readonly until: 'human' | 'hold_end';
  readonly hear: ClassifyLine;
  readonly longestMs: number;
}

export class WaitInterlude implements Interlude {
  readonly #order: WaitOptions;
  #until = Number.POSITIVE_INFINITY;

  constructor(order: WaitOptions) {
    this.#order = order;
  }

  begin(): InterludeStep {
    this.#until = this.#order.clock.monotonic() + this.#order.longestMs;
    return { kind: 'wait' };
  }

  take(input: InterludeInput): InterludeStep {
    const { clock, until, hear } = this.#order;
    if (clock.monotonic() >= this.#until) return done('nobody answered in time');
    if (input.kind !== 'said') return { kind: 'wait' };
    const line = hear(input.text);
    if (line === 'hold' || (line === 'machine' && until === 'human')) return { kind: 'wait' };
    return done(`${line === 'person' ? 'a person' : 'a machine'} says: ${input.text}`);
  }
}

const done = (what: string): InterludeStep => ({ kind: 'done', message: `(wait_for) ${what}` });
