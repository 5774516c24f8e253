import { spokenWords } from '../../language/text/index.ts';
import type { Conversation } from '../trace/index.ts';
import type { Statement } from './contract.ts';

/** A shorter quote proves nothing, unless it is the whole utterance: "Yes." */
const FEWEST_WORDS = 2;

/** Finds quotes in the transcript. */
export class QuoteFinder {
  readonly #conversation: Conversation;
  readonly #words: readonly string[];

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#words = conversation.utterances.map(({ text }) => spokenWords(text));
  }

  /** Returns the statement with its place in the call; null where the quote does not occur. */
  found(text: string, quote: string): Statement | null {
    const words = spokenWords(quote);
    if (words.trim() === '') return null;
    const few = words.trim().split(' ').length < FEWEST_WORDS;
    const at = few ? this.#words.indexOf(words) : this.#words.findIndex((said) => said.includes(words));
    const utterance = this.#conversation.utterances[at];
    if (utterance === undefined) return null;
    const { speaker, startMs, endMs } = utterance;
    return { text, quote, speaker, start_ms: startMs, end_ms: endMs };
  }
}
