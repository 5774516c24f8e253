import type { BrainEvent } from '../contract.ts';

/** A longer run without a space is text of a language that writes none, and no word. */
const LONGEST_WORD = 40;
const WORDLESS: ReadonlySet<BrainEvent['kind']> = new Set([
  'thinking',
  'voice',
  'sound',
  'usage',
  'truncated',
]);
const SENTENCE = /[.!?।…]["'”»)]*(?=\s)/gu;
const ENDS_SENTENCE = /(?:^|[.!?।…]["'”»)]*)\s*$/u;

/**
 * The words of an answer that several brains write. A brain that fails may leave half a word, which the next one writes
 * again.
 */
export class AnswerSoFar {
  #text = '';
  #startsSentence = false;
  /** Audio came behind this many characters, so that the last word is whole where it ends a sentence. */
  #sounded = 0;
  #repeated: RepeatedWords | null = null;
  /** The brain that is asked has written words or acted. */
  isBegun = false;
  /** A tool call or an action ends an answer: what follows it belongs to the next request. */
  acts = false;

  get text(): string {
    return this.#text;
  }

  get endsSentence(): boolean {
    return ENDS_SENTENCE.test(this.#text);
  }

  /** A brain begins to answer, or to continue the answer. */
  begin(): void {
    this.isBegun = false;
    this.#repeated = this.#startsSentence || this.#text === '' ? null : new RepeatedWords(this.#text);
  }

  *pass(event: BrainEvent): Generator<BrainEvent> {
    if (event.kind === 'sound') this.#sounded = this.#text.length;
    this.isBegun ||= !WORDLESS.has(event.kind);
    if (event.kind === 'text') {
      yield* this.#say(this.#repeated?.rest(event.text) ?? event.text);
      return;
    }
    if (event.kind === 'tool_call' || event.kind === 'action') {
      yield* this.end();
      this.acts = true;
    }
    yield event;
  }

  *end(): Generator<BrainEvent> {
    yield* this.#say(this.#repeated?.end() ?? '');
  }

  /**
   * The next brain continues after the last whole word, or starts a new sentence. Returns how many characters it writes
   * again.
   */
  resume(startsSentence: boolean): number {
    const isWhole = this.endsSentence && this.#sounded === this.#text.length;
    const left = isWhole ? this.#text : startsSentence ? wholeSentences(this.#text) : wholeWords(this.#text);
    const dropped = this.#text.length - left.length;
    this.#text = left;
    this.#startsSentence = startsSentence;
    return dropped;
  }

  *#say(text: string): Generator<BrainEvent> {
    if (text === '') return;
    this.#text += text;
    yield { kind: 'text', text };
  }
}

function wholeWords(text: string): string {
  const open = /\S*$/.exec(text)?.[0] ?? '';
  return open.length > LONGEST_WORD ? text : text.slice(0, text.length - open.length);
}

function wholeSentences(text: string): string {
  const ends = [...text.matchAll(SENTENCE)];
  const last = ends.at(-1);
  return last === undefined ? '' : text.slice(0, last.index + last[0].length + 1);
}

const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** One word at the end of more, or the digits of a code, may be meant twice: "your code is 5 5", "5 2 1". */
const isRepetition = (words: readonly string[], place: number): boolean =>
  (words.length > 1 || place === 0) && words.some((word) => !/\p{N}/u.test(word));

/** Leaves out the words with which a brain repeats the end of the text that it should continue. */
class RepeatedWords {
  readonly #said: readonly string[];
  /** Each is a place in the text from which all words so far were repeated. */
  #places: readonly number[];
  #words = 0;
  #held = '';
  /** The characters of the held text that are known to be repeated. */
  #repeated = 0;
  #looked = 0;
  #decided = false;

  constructor(said: string) {
    this.#said = said.split(/\s+/).map(plain).filter(Boolean);
    this.#places = this.#said.map((_, at) => at);
  }

  rest(text: string): string {
    if (this.#decided) return text;
    this.#held += text;
    const words = /\S+(?=\s)/g;
    words.lastIndex = this.#looked;
    for (let word = words.exec(this.#held); word !== null; word = words.exec(this.#held)) {
      this.#looked = words.lastIndex;
      this.#take(plain(word[0]));
      if (this.#places.length === 0) return this.#decide();
    }
    return '';
  }

  end(): string {
    if (this.#decided) return '';
    const open = plain(this.#held.slice(this.#looked));
    if (open !== '') {
      this.#looked = this.#held.length;
      this.#take(open);
    }
    return this.#decide();
  }

  #take(word: string): void {
    if (word === '') return;
    const places = this.#places.filter((place) => this.#said[place + this.#words] === word);
    this.#words += 1;
    // A place whose words are all repeated shows where the new words begin.
    const place = places.find((each) => each + this.#words === this.#said.length);
    if (place !== undefined && isRepetition(this.#said.slice(place), place)) this.#repeated = this.#looked;
    this.#places = places.filter((place) => place + this.#words < this.#said.length);
  }

  #decide(): string {
    this.#decided = true;
    return this.#held.slice(this.#repeated).trimStart();
  }
}
