import type { BrainEvent } from './contract.ts';

/** What thinking models write around their thoughts. */
const OPENINGS = ['<think>', '<thinking>', '<thought>'];
const CLOSINGS = ['</think>', '</thinking>', '</thought>'];

/** Takes the thoughts out of streamed words: servers that don't know a model as a thinking one send both in one. Any split of the
 * words gives the same. */
export class ThoughtFilter {
  #thinking: boolean;
  /** May be the beginning of a mark; or, of what the answer only seems to begin with, all of it. */
  #held = '';
  readonly #assumed: boolean;
  #closed = false;
  #opensUnseen: boolean;

  /** `opened`: the model's template has opened the thought already, so that the words begin inside. */
  constructor(opened = false) {
    this.#thinking = opened;
    this.#assumed = opened;
    this.#opensUnseen = opened;
  }

  /** Whether answers of this model begin inside of a thought, as far as is known by now. */
  get opensUnseen(): boolean {
    return this.#opensUnseen;
  }

  get thinking(): boolean {
    return this.#thinking;
  }

  /** What of these words and those held back is for the caller. */
  add(text: string): string {
    this.#held += text;
    let said = '';
    for (;;) {
      const mark = first(this.#held, this.#thinking ? CLOSINGS : [...OPENINGS, ...CLOSINGS]);
      if (mark === null) break;
      if (!this.#thinking) said += this.#held.slice(0, mark.at);
      if (!this.#thinking && mark.text.startsWith('</')) this.#opensUnseen = true;
      this.#closed ||= this.#thinking;
      this.#thinking = !mark.text.startsWith('</');
      this.#held = this.#held.slice(mark.at + mark.text.length);
    }
    if (this.#thinking && this.#assumed && !this.#closed) return said;
    const open = openMark(this.#held);
    if (!this.#thinking) said += this.#held.slice(0, this.#held.length - open.length);
    this.#held = open;
    return said;
  }

  /** The answer has ended. Where a thought was only assumed and never ended, there was none. */
  end(): string {
    const wronglyAssumed = this.#assumed && !this.#closed && this.#held !== '';
    const rest = this.#thinking && !wronglyAssumed ? '' : this.#held;
    if (wronglyAssumed) this.#opensUnseen = false;
    this.#held = '';
    return rest;
  }
}

function first(text: string, marks: readonly string[]): { at: number; text: string } | null {
  let found: { at: number; text: string } | null = null;
  for (const mark of marks) {
    const at = text.indexOf(mark);
    if (at >= 0 && (found === null || at < found.at)) found = { at, text: mark };
  }
  return found;
}

/** The end of a text that may go on to be a mark. */
function openMark(text: string): string {
  const at = text.lastIndexOf('<');
  if (at < 0) return '';
  const tail = text.slice(at);
  return [...OPENINGS, ...CLOSINGS].some((mark) => mark.startsWith(tail)) ? tail : '';
}

/** The events with thoughts as signs of life in place of words. */
export async function* withoutThoughts(events: AsyncIterable<BrainEvent>): AsyncGenerator<BrainEvent> {
  const filter = new ThoughtFilter();
  for await (const event of events) {
    if (event.kind !== 'text') {
      yield event;
      continue;
    }
    const text = filter.add(event.text);
    yield text === '' ? { kind: 'thinking' } : { kind: 'text', text };
  }
  const rest = filter.end();
  if (rest !== '') yield { kind: 'text', text: rest };
}
