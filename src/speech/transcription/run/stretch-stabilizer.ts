import { incompleteSpans, type PiiEntity, redactSegments } from '../../../language/pii/index.ts';
import type { RecognizedProgress } from './stretch-store.ts';

/** Later words within this distance can still make earlier ones personal data. */
const AHEAD = 100;
const CONTEXT = 250;

export interface SettledStretches {
  readonly stretches: readonly RecognizedProgress[];
  readonly count: number;
}

/**
 * Releases redacted stretches once no later word can change their redaction, so that unredacted text is never stored.
 */
export class StretchStabilizer {
  readonly #entities: readonly PiiEntity[];
  #before: string;
  #held: RecognizedProgress[] = [];

  constructor(entities: readonly PiiEntity[], before: string) {
    this.#entities = entities;
    this.#before = before.slice(-CONTEXT);
  }

  add(stretch: RecognizedProgress): SettledStretches {
    this.#held.push(stretch);
    return this.#release(this.#settledCount());
  }

  flush(): SettledStretches {
    return this.#release(this.#held.length);
  }

  #settledCount(): number {
    let text = this.#before;
    const ends = this.#held.map((stretch) => {
      text += ` ${stretch.text}`;
      return text.length;
    });
    const spans = incompleteSpans(text, this.#entities);
    const isSettled = (end: number) =>
      text.length - end >= AHEAD && !spans.some((span) => span.start <= end && span.end > end);
    return ends.findLastIndex(isSettled) + 1;
  }

  #release(count: number): SettledStretches {
    if (count === 0) return { stretches: [], count: 0 };
    const redacted = redactSegments(this.#held, this.#entities, this.#before);
    const stretches = redacted.segments.slice(0, count);
    this.#held = this.#held.slice(count);
    const text = stretches.map((stretch) => stretch.text).join(' ');
    this.#before = `${this.#before} ${text}`.slice(-CONTEXT);
    return { stretches, count: redacted.counts.slice(0, count).reduce((sum, found) => sum + found, 0) };
  }
}
