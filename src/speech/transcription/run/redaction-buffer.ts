import { incompleteSpans, type PiiEntity, redactSegments } from '../../../language/pii/index.ts';
import type { RecognizedProgress } from './span-store.ts';

/** Later words within this distance can still make earlier ones personal data. */
const AHEAD = 100;
const CONTEXT = 250;

export interface ReleasedSpans {
  readonly spans: readonly RecognizedProgress[];
  readonly count: number;
}

/**
 * Releases redacted spans once no later word can change their redaction, so that unredacted text is never stored.
 */
export class RedactionBuffer {
  readonly #entities: readonly PiiEntity[];
  #before: string;
  #held: RecognizedProgress[] = [];

  constructor(entities: readonly PiiEntity[], before: string) {
    this.#entities = entities;
    this.#before = before.slice(-CONTEXT);
  }

  add(span: RecognizedProgress): ReleasedSpans {
    this.#held.push(span);
    return this.#release(this.#settledCount());
  }

  flush(): ReleasedSpans {
    return this.#release(this.#held.length);
  }

  #settledCount(): number {
    let text = this.#before;
    const ends = this.#held.map((span) => {
      text += ` ${span.text}`;
      return text.length;
    });
    const entitySpans = incompleteSpans(text, this.#entities);
    const isSettled = (end: number) =>
      text.length - end >= AHEAD && !entitySpans.some((entity) => entity.start <= end && entity.end > end);
    return ends.findLastIndex(isSettled) + 1;
  }

  #release(count: number): ReleasedSpans {
    if (count === 0) return { spans: [], count: 0 };
    const redacted = redactSegments(this.#held, this.#entities, this.#before);
    const spans = redacted.segments.slice(0, count);
    this.#held = this.#held.slice(count);
    const text = spans.map((span) => span.text).join(' ');
    this.#before = `${this.#before} ${text}`.slice(-CONTEXT);
    return { spans, count: redacted.counts.slice(0, count).reduce((sum, found) => sum + found, 0) };
  }
}
