import type { BrainEvent } from '../contract.ts';

const OPENINGS = ['<think>', '<thinking>', '<thought>'];
const CLOSINGS = ['</think>', '</thinking>', '</thought>'];

/**
 * Removes reasoning from streamed text, because servers that do not know a reasoning model send both together. The
 * result does not depend on how the stream is split.
 */
export class ReasoningFilter {
  /**
   * In `waiting`, the text may be reasoning whose start was not visible, and is held back until a marker or the end
   * decides.
   */
  #at: 'waiting' | 'thought' | 'words';
  #held = '';
  #closedUnseen = false;
  #openedSeen = false;

  constructor(opened = false) {
    this.#at = opened ? 'waiting' : 'words';
  }

  get closedUnseen(): boolean {
    return this.#closedUnseen;
  }

  get openedSeen(): boolean {
    return this.#openedSeen;
  }

  get held(): string {
    return this.#held;
  }

  get thinking(): boolean {
    return this.#at !== 'words';
  }

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

  /** The answer ended normally, so held text without a marker is not reasoning. */
  end(): string {
    const rest = this.#at === 'thought' ? '' : this.#held;
    if (this.#at === 'waiting') this.#at = 'words';
    this.#held = '';
    return rest;
  }
}

/** After this many answers in a row without reasoning, it is uncertain whether the model still reasons. */
const PLAIN_IN_A_ROW = 3;

/**
 * Some models' templates open the reasoning in the prompt, so that answers start within it. While that is unknown,
 * the text waits for the end of the answer; where it is so, for the end of the reasoning.
 */
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
   * `whole` means that the answer ended normally with text. `ours` marks the server's own question: a customer could
   * make a model write a marker and so decide how all other answers are read. Returns true where the answer
   * contradicts the known style, so that the model should be asked again.
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

function openTag(text: string): string {
  const at = text.lastIndexOf('<');
  if (at < 0) return '';
  const tail = text.slice(at);
  return [...OPENINGS, ...CLOSINGS].some((mark) => mark.startsWith(tail)) ? tail : '';
}

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
