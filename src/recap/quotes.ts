import { plainText, tokensOf } from '../language/index.ts';
import type { Conversation } from '../trace/index.ts';
import type { Statement } from './contract.ts';

const wordsOf = (text: string): string =>
  ` ${tokensOf(plainText(text))
    .map(({ text: word }) => word)
    .join(' ')} `;

/** Fewer say nothing. */
const FEWEST_WORDS = 2;

/** Holds what is said of a call against what was said in it. */
export class Quotes {
  readonly #conversation: Conversation;
  readonly #words: readonly string[];

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#words = conversation.utterances.map(({ text }) => wordsOf(text));
  }

  /** The statement with its place in the call; null: nobody said the words that it quotes. */
  found(text: string, quote: string): Statement | null {
    const words = wordsOf(quote);
    if (words.trim().split(' ').length < FEWEST_WORDS) return null;
    const at = this.#words.findIndex((said) => said.includes(words));
    const utterance = this.#conversation.utterances[at];
    if (utterance === undefined) return null;
    const { speaker, startMs, endMs } = utterance;
    return { text, quote, speaker, start_ms: startMs, end_ms: endMs };
  }
}
