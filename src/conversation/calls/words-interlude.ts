import {
  AGENT_LANGUAGE_WORDS,
  type AgentLanguage,
  phraseAt,
  plainText,
  tokensOf,
} from '../../language/text/index.ts';
import type { Interlude, InterludeInput, InterludeStep } from '../session/index.ts';

export interface WordsOptions {
  readonly prompt: () => string | null;
  readonly label: () => string;
  readonly options: readonly string[] | null;
  readonly attempts: number | undefined;
  readonly language: () => AgentLanguage;
  readonly taken: (value: string, attempts: number) => void;
  readonly failed: (reason: 'not_understood' | 'no_answer') => void;
}

const MOST_MISSES = 3;

export class WordsInterlude implements Interlude {
  readonly #order: WordsOptions;
  #misses = 0;
  #hasSpoken = false;

  constructor(order: WordsOptions) {
    this.#order = order;
  }

  begin(): InterludeStep {
    return { kind: 'ask', say: this.#question() };
  }

  take(input: InterludeInput): InterludeStep {
    const value = input.kind === 'silence' ? null : this.#valueIn(input);
    this.#hasSpoken ||= input.kind !== 'silence';
    if (value !== null) {
      this.#order.taken(value, this.#misses + 1);
      return { kind: 'done', message: null };
    }
    if (++this.#misses < (this.#order.attempts ?? MOST_MISSES)) return this.begin();
    this.#order.failed(this.#hasSpoken ? 'not_understood' : 'no_answer');
    return { kind: 'done', message: null };
  }

  #question(): string {
    const { prompt, label, options, language } = this.#order;
    const asked = prompt() ?? AGENT_LANGUAGE_WORDS[language()].capture.ask.replace('{}', label);
    return this.#misses === 0 || options === null ? asked : `${asked} ${options.join(', ')}?`;
  }

  #valueIn(input: Exclude<InterludeInput, { kind: 'silence' }>): string | null {
    const { options } = this.#order;
    if (input.kind === 'keys') return options === null ? null : (options[Number(input.keys) - 1] ?? null);
    if (options === null) return input.text.trim() === '' ? null : input.text;
    const tokens = tokensOf(plainText(input.text));
    const named = options.filter((option) => {
      const wanted = tokensOf(plainText(option)).map(({ text }) => text);
      return tokens.some((_, at) => phraseAt(tokens, at, [wanted.join(' ')]) > 0);
    });
    return named.length === 1 ? (named[0] ?? null) : null;
  }
}
