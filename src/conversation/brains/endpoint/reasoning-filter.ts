import type { BrainEvent } from '../contract.ts';

/** Reasoning models write these around their reasoning. */
const OPENINGS = ['<think>', '<thinking>', '<thought>'];
const CLOSINGS = ['</think>', '</thinking>', '</thought>'];

/** Takes the thoughts out of streamed words: servers that don't know a model as a thinking one send both in one. Any split of the
 * words gives the same. */
export class ReasoningFilter {
  /** `waiting`: the words may be a thought that was opened unseen, and are held back until a mark or the end tells. */
  #at: 'waiting' | 'thought' | 'words';
  /** The text that is held back because it may be reasoning, or may begin a marker. */
  #held = '';
  #closedUnseen = false;
  #openedSeen = false;

  /** `opened`: the words may begin inside of a thought. */
  constructor(opened = false) {
    this.#at = opened ? 'waiting' : 'words';
  }

  /** A thought has ended that was not seen to begin. */
  get closedUnseen(): boolean {
    return this.#closedUnseen;
  }

  get openedSeen(): boolean {
    return this.#openedSeen;
  }

  get held(): string {
    return this.#held;
  }

  /** As far as is known by now, nothing but thoughts may have come since the last word for the caller. */
  get thinking(): boolean {
    return this.#at !== 'words';
  }

  /** Returns the part of the text so far that is for the caller. */
  add(text: string): string {
    this.#held += text;
    let said = '';
    for (;;) {
      const mark = first(this.#held, this.#at === 'thought' ? CLOSINGS : [...OPENINGS, ...CLOSINGS]);
      if (mark === null) break;
      const closes = mark.text.startsWith('</');
      if (closes && this.#at !== 'thought') this.#closedUnseen = true;
      if (!closes) this.#openedSeen = true;
      if (this.#at === 'words' || (this.#at === 'waiting' && !closes)) said += this.#held.slice(0, mark.at);
      this.#at = closes ? 'words' : 'thought';
      this.#held = this.#held.slice(mark.at + mark.text.length);
    }
    if (this.#at === 'waiting') return said;
    const open = openTag(this.#held);
    if (this.#at === 'words') said += this.#held.slice(0, this.#held.length - open.length);
    this.#held = open;
    return said;
  }

  /** The answer has ended by itself. What waited for the end of a thought was none. */
  end(): string {
    const rest = this.#at === 'thought' ? '' : this.#held;
    if (this.#at === 'waiting') this.#at = 'words';
    this.#held = '';
    return rest;
  }
}

/** Answers in a row without a thought, after which it is in doubt whether a model still thinks. */
const PLAIN_IN_A_ROW = 3;

/** Whether a model's template opens its thoughts where nobody sees it, so that its answers begin inside of one. While that is not known
 * its words wait for the answer's end; where it does, for the end of the thought. */
export class ReasoningStyle {
  #opensUnseen: boolean | null = null;
  #plainInRow = 0;

  get known(): boolean {
    return this.#opensUnseen !== null;
  }

  newFilter(): ReasoningFilter {
    return new ReasoningFilter(this.#opensUnseen ?? true);
  }

  /**
   * `whole`: the answer has ended by itself, in words. `ours`: to a question that no customer put: whoever can make a model write a
   * mark would else decide how all others are answered.
   * True: the answer is unlike what is known, and the model should be asked again.
   */
  learn(answer: ReasoningFilter, whole: boolean, ours: boolean): boolean {
    if (!answer.closedUnseen && !whole && !answer.openedSeen) return false;
    const unlike = this.known && answer.closedUnseen !== this.#opensUnseen;
    if (unlike && !ours) return answer.closedUnseen || ++this.#plainInRow >= PLAIN_IN_A_ROW;
    this.#know(answer.closedUnseen);
    return false;
  }

  thinksUnseen(): void {
    this.#know(true);
  }

  #know(opensUnseen: boolean): void {
    this.#opensUnseen = opensUnseen;
    this.#plainInRow = 0;
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
function openTag(text: string): string {
  const at = text.lastIndexOf('<');
  if (at < 0) return '';
  const tail = text.slice(at);
  return [...OPENINGS, ...CLOSINGS].some((mark) => mark.startsWith(tail)) ? tail : '';
}

/** The events with thoughts as signs of life in place of words. */
export async function* withoutReasoning(events: AsyncIterable<BrainEvent>): AsyncGenerator<BrainEvent> {
  const filter = new ReasoningFilter();
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
