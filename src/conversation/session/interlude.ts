import type { AnswerTerms } from './answer-terms.ts';
import type { ExpectedAnswer } from './voice-lane.ts';

/**
 * An interlude leads the conversation in place of the brain: the engine asks, takes the answers itself and reports
 * the result.
 */
export type InterludeStep =
  | { readonly kind: 'ask'; readonly say: string }
  | { readonly kind: 'wait' }
  /** The caller's words do not count until `done` resolves. */
  | { readonly kind: 'work'; readonly say: string | null; readonly done: Promise<InterludeStep> }
  | { readonly kind: 'say'; readonly say: string }
  /** The brain answers the caller's last words within these terms; then the interlude continues with `answered`. */
  | { readonly kind: 'answer'; readonly terms: AnswerTerms; readonly message?: string }
  | { readonly kind: 'listen' }
  /** The step is found when it is taken, because finding it acts: a muted agent does neither before it is unmuted. */
  | { readonly kind: 'continue'; readonly step: () => InterludeStep | undefined }
  | { readonly kind: 'leave'; readonly say: string | null; readonly as: 'agent_ended' | 'hand_over' }
  /**
   * The brain answers to `message`; null leaves the next turn to the caller. `host` controls the call from here on.
   */
  | { readonly kind: 'done'; readonly message: string | null; readonly host?: Interlude };

export type InterludeInput =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'keys'; readonly keys: string }
  | { readonly kind: 'silence' };

export interface Interlude {
  begin(): InterludeStep;
  take(input: InterludeInput): InterludeStep;
  /** Recognition is biased to this expected answer; the caller may say anything else. Null sets no bias. */
  expected?(): ExpectedAnswer | null;
  nest?(inner: Interlude): InterludeStep;
  readonly asks?: boolean;
  languageChanged?(language: string): void;
  /** `whole` is false where the words were interrupted. */
  spoken?(whole: boolean): InterludeStep;
  answered?(): InterludeStep;
  woken?(): InterludeStep;
  /** Returns the terms of the answer to these words without changing state; null where the brain will not be asked. */
  guess?(text: string): AnswerTerms | null;
  dropped?(): void;
}
