import { spokenWords } from '../../language/text/index.ts';
import type { Conversation } from '../trace/index.ts';
import type { Statement } from './contract.ts';

/** Fewer say nothing, unless somebody said nothing else: "Yes." */
const FEWEST_WORDS = 2;

/** Holds what is said of a call against what was said in it. */
export class QuoteFinder {
  readonly #conversation: Conversation;
  readonly #words: readonly string[];

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#words = conversation.utterances.map(({ text }) => spokenWords(text));
  }

  /** The statement with its place in the call; null: nobody said the words that it quotes. */
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
