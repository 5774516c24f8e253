import type { AnswerTerms } from './answer-terms.ts';

/** A talk that the engine leads in the place of the brain: it asks, hears the answers itself, and tells what came of it. */
export type InterludeStep =
  /** Says this, and waits for the caller. */
  | { readonly kind: 'ask'; readonly say: string }
  /** Waits for the caller in silence. */
  | { readonly kind: 'wait' }
  /** Nothing that the caller says counts until this is done. */
  | { readonly kind: 'work'; readonly say: string | null; readonly done: Promise<InterludeStep> }
  /** Says this, and goes on by `spoken`. */
  | { readonly kind: 'say'; readonly say: string }
  /** The brain answers what the caller said last, within these terms; the talk goes on by `answered`. */
  | { readonly kind: 'answer'; readonly terms: AnswerTerms; readonly message?: string }
  /** The caller is waited for, and asked in time whether they are still there. */
  | { readonly kind: 'listen' }
  /** The call ends behind these words. */
  | { readonly kind: 'leave'; readonly say: string | null; readonly as: 'agent_ended' | 'hand_over' }
  /** It is over. `told`: what the brain answers to; null: it goes on when the caller speaks. `host`: it has the call from here on. */
  | { readonly kind: 'done'; readonly message: string | null; readonly host?: Interlude };

export type InterludeInput =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'keys'; readonly keys: string }
  | { readonly kind: 'silence' };

export interface Interlude {
  begin(): InterludeStep;
  take(input: InterludeInput): InterludeStep;
  /** An answer such as is expected, which recognition goes on from; the caller may say anything else as well. Null: none. */
  expected?(): string | null;
  /** It has the whole call. Where another interlude begins, that one is within it. */
  nest?(inner: Interlude): InterludeStep;
  /** A question of the engine's is open. */
  readonly asks?: boolean;
  /** The caller speaks this language from now on. */
  languageChanged?(language: string): void;
  /** Words of a `say` were heard to their end, or were not. */
  spoken?(whole: boolean): InterludeStep;
  /** The brain's answer was heard. */
  answered?(): InterludeStep;
  /** Nobody speaks, and something may have come about. */
  woken?(): InterludeStep;
  /** The terms of the answer, if this is what the caller says; null: the brain will not be asked. Nothing changes by it. */
  guess?(text: string): AnswerTerms | null;
  /** It comes to nothing: another one begins, or the call ends. */
  dropped?(): void;
}
