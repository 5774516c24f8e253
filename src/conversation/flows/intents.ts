import {
  type AgentLanguage,
  type Intent,
  intentOf,
  LANGUAGE_WORDS,
  phraseAt,
  plainText,
  type Token,
  tokensOf,
} from '../../language/text/index.ts';
import type { When } from './schema.ts';

/** Callers express these intents in every flow; they are recognized without a model. */
const KNOWN_INTENTS: Readonly<Record<string, readonly Intent[]>> = {
  wants_person: ['hand_over'],
  wants_to_stop: ['end', 'stop'],
  wants_repeat: ['repeat'],
};

/** A negation this many words before a phrase counts: "I do not want to cancel". */
const NEGATES_WITHIN = 4;

/** Phrases by their first word, so that a long list costs a word of the caller one look-up. */
type PhraseIndex = ReadonlyMap<string, readonly string[]>;

/** The cache is keyed by the edge, because a flow is evaluated on every turn of every call. */
const indexes = new WeakMap<readonly string[], PhraseIndex>();

function indexOf(phrases: readonly string[]): PhraseIndex {
  const known = indexes.get(phrases);
  if (known !== undefined) return known;
  const index = new Map<string, string[]>();
  for (const phrase of phrases) {
    const words = tokensOf(plainText(phrase)).map(({ text }) => text);
    const [first = ''] = words;
    const same = index.get(first);
    if (same === undefined) index.set(first, [words.join(' ')]);
    else same.push(words.join(' '));
  }
  indexes.set(phrases, index);
  return index;
}

export class HeardWords {
  readonly #text: string;
  readonly #language: AgentLanguage;
  #intent: Intent | null | undefined;
  #tokens: readonly Token[] | undefined;

  constructor(text: string, language: string) {
    this.#text = text;
    this.#language = language as AgentLanguage;
  }

  say({ intent = '', phrases }: When): boolean {
    const known = Object.hasOwn(KNOWN_INTENTS, intent) ? KNOWN_INTENTS[intent] : undefined;
    if (known !== undefined) {
      if (this.#intent === undefined) this.#intent = intentOf(this.#text, this.#language);
      if (this.#intent !== null && known.includes(this.#intent)) return true;
    }
    return phrases !== undefined && this.#hold(indexOf(phrases));
  }

  #hold(wanted: PhraseIndex): boolean {
    this.#tokens ??= tokensOf(plainText(this.#text));
    const tokens = this.#tokens;
    const { negation } = LANGUAGE_WORDS[this.#language].consent;
    return tokens.some(({ text }, at) => {
      const phrases = wanted.get(text);
      if (phrases === undefined || phraseAt(tokens, at, phrases) === 0) return false;
      const before = Math.max(0, at - NEGATES_WITHIN);
      return !tokens
        .slice(before, at)
        .some((_token, offset) => phraseAt(tokens, before + offset, negation) > 0);
    });
  }
}
