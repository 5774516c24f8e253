import { type Entity, redactSegments, unsettledSpans } from '../../../language/pii/index.ts';
import type { Heard } from './stored.ts';

/** What is said later can still make something personal of what was said before, up to this many characters on. */
const AHEAD = 100;
const CONTEXT = 250;

export interface Settled {
  readonly stretches: readonly Heard[];
  readonly count: number;
}

/** Lets stretches through once nothing that follows can change what is personal in them, and redacted: what has
 * not been redacted is never stored. */
export class HoldBack {
  readonly #entities: readonly Entity[];
  #before: string;
  #held: Heard[] = [];

  /** `before`: the redacted text of an earlier try. */
  constructor(entities: readonly Entity[], before: string) {
    this.#entities = entities;
    this.#before = before.slice(-CONTEXT);
  }

  add(stretch: Heard): Settled {
    this.#held.push(stretch);
    return this.#release(this.#settledCount());
  }

  /** Nothing follows. */
  flush(): Settled {
    return this.#release(this.#held.length);
  }

  #settledCount(): number {
    let text = this.#before;
    const ends = this.#held.map((stretch) => {
      text += ` ${stretch.text}`;
      return text.length;
    });
    const spans = unsettledSpans(text);
    const isSettled = (end: number) =>
      text.length - end >= AHEAD && !spans.some((span) => span.start <= end && span.end > end);
    return ends.findLastIndex(isSettled) + 1;
  }

  #release(count: number): Settled {
    if (count === 0) return { stretches: [], count: 0 };
    const redacted = redactSegments(this.#held, this.#entities, this.#before);
    const stretches = redacted.segments.slice(0, count);
    this.#held = this.#held.slice(count);
    const text = stretches.map((stretch) => stretch.text).join(' ');
    this.#before = `${this.#before} ${text}`.slice(-CONTEXT);
    return { stretches, count: redacted.counts.slice(0, count).reduce((sum, found) => sum + found, 0) };
  }
}
