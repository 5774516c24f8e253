import { sentencesOf } from '../../language/retrieval/index.ts';
import {
  AGENT_LANGUAGE_WORDS,
  type AgentLanguage,
  type PhoneticWord,
  plainText,
  type Token,
  tokensOf,
} from '../../language/text/index.ts';
import type { Conversation, Role, Utterance } from './contract.ts';
import type { JudgementInputs } from './judgement-inputs.ts';

export type Speaker = 'agent' | 'customer' | 'any';

export interface Sentence {
  readonly utterance: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A conversation as rules look at it: what several of them want is worked out once. */
export class JudgedConversation {
  readonly conversation: Conversation;
  readonly inputs: JudgementInputs;
  readonly language: AgentLanguage | null;
  readonly #tokens: (readonly Token[] | undefined)[] = [];
  readonly #soundings: (readonly PhoneticWord[] | null | undefined)[] = [];
  #sentences: readonly Sentence[] | undefined;
  #work = 0;

  constructor(conversation: Conversation, inputs: JudgementInputs) {
    this.conversation = conversation;
    this.inputs = inputs;
    const { language } = conversation;
    this.language =
      language !== null && language in AGENT_LANGUAGE_WORDS ? (language as AgentLanguage) : null;
  }

  tokens(utterance: number): readonly Token[] {
    this.#tokens[utterance] ??= tokensOf(plainText(this.at(utterance).text));
    return this.#tokens[utterance];
  }

  /** The result is null where no pronunciation is known. */
  soundings(utterance: number): readonly PhoneticWord[] | null {
    const known = this.#soundings[utterance];
    if (known !== undefined) return known;
    const made = this.language === null ? null : this.#sound(utterance, this.language);
    this.#soundings[utterance] = made;
    return made;
  }

  at(utterance: number): Utterance {
    return this.conversation.utterances[utterance] as Utterance;
  }

  /** The utterances of a side; null where nobody knows who spoke. */
  by(speaker: Speaker): readonly number[] | null {
    const { utterances } = this.conversation;
    if (
      speaker !== 'any' &&
      utterances.length > 0 &&
      utterances.every(({ speaker: who }) => who === 'unknown')
    )
      return null;
    return [...utterances.keys()].filter(
      (index) => speaker === 'any' || (utterances[index] as Utterance).speaker === (speaker satisfies Role),
    );
  }

  get sentences(): readonly Sentence[] {
    this.#sentences ??= sentencesIn(this.conversation);
    return this.#sentences;
  }

  /** Counts steps, so that no rule takes more than its share whatever it is held against. */
  spend(steps: number): void {
    this.#work += steps;
    if (this.#work > MOST_WORK) throw new WorkLimitExceeded();
  }

  beginRule(): void {
    this.#work = 0;
  }

  #sound(utterance: number, language: string): readonly PhoneticWord[] | null {
    const words: PhoneticWord[] = [];
    for (const { text, start, end } of this.tokens(utterance)) {
      const sounds = isWord(text) ? this.inputs.sounds(text, language) : '';
      if (sounds === null) return null;
      words.push({ sounds, start, end });
    }
    return words;
  }
}

/** The work limit of one rule on one conversation: a few tenths of a second on any machine. */
const MOST_WORK = 200_000_000;

export class WorkLimitExceeded extends Error {
  constructor() {
    super('the rule takes too much work');
    this.name = 'WorkLimitExceeded';
  }
}

/** Words have sounds that can be compared; numbers and signs are read by their digits. */
export const isWord = (text: string): boolean => /^\p{L}/u.test(text);

export function sentencesIn({ utterances }: Conversation): readonly Sentence[] {
  const found: Sentence[] = [];
  for (const [utterance, { text }] of utterances.entries()) {
    let at = 0;
    for (const sentence of sentencesOf(text)) {
      const start = Math.max(at, text.indexOf(sentence, at));
      at = start + sentence.length;
      found.push({ utterance, text: sentence, start, end: Math.min(at, text.length) });
    }
  }
  return found;
}
