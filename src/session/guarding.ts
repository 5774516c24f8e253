import type { BrainLanguage } from '../brain/index.ts';
import type { Trouble } from './agent-turn.ts';
import type { TurnWords } from './turn-words.ts';

/** What follows of a piece of an answer that breaks a rule. */
export interface Ruling {
  readonly kind: 'flagged' | 'blocked' | 'handed_over';
  /** Which: its pack, version and name. */
  readonly rule: string;
  /** What is spoken in its place. */
  readonly instead: string;
}

/** Looks at a piece of an answer before the voice has it; `before`: what the answer said so far. Null: nothing speaks against it. Nothing
 * is waited for: the first sound comes as early as without it. */
export type SpokenGuard = (before: string, piece: string, language: BrainLanguage) => Ruling | null;

export interface GuardingOptions {
  readonly guard: SpokenGuard | undefined;
  readonly words: TurnWords;
  readonly troubles: Trouble[];
  readonly language: BrainLanguage;
}

/** The pieces of one answer on their way to the voice. From the first that is refused on nothing of it is spoken. */
export class Guarding {
  /** What refused the rest of the answer. */
  refused: Ruling | null = null;
  readonly #options: GuardingOptions;
  #said = '';

  constructor(options: GuardingOptions) {
    this.#options = options;
  }

  answer(piece: string): void {
    if (this.refused !== null) return;
    const { guard, words, troubles, language } = this.#options;
    const ruling = guard?.(this.#said, piece, language) ?? null;
    this.#said = this.#said === '' ? piece : `${this.#said} ${piece}`;
    if (ruling !== null) troubles.push({ step: 'answer', reason: `trace_${ruling.kind}`, rule: ruling.rule });
    if (ruling === null || ruling.kind === 'flagged') {
      words.answer(piece);
      return;
    }
    this.refused = ruling;
    words.answer(ruling.instead);
  }
}
