/** A talk that the engine leads in the place of the brain: it asks, hears the answers itself, and tells what came of it. */
export type InterludeStep =
  /** Says this, and waits for the caller. */
  | { readonly kind: 'ask'; readonly say: string }
  /** Waits for the caller in silence. */
  | { readonly kind: 'wait' }
  /** Nothing that the caller says counts until this is done. */
  | { readonly kind: 'work'; readonly say: string | null; readonly done: Promise<InterludeStep> }
  /** It is over. `told`: what the brain answers to; null: it goes on when the caller speaks. */
  | { readonly kind: 'done'; readonly told: string | null };

export type InterludeInput =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'keys'; readonly keys: string }
  | { readonly kind: 'silence' };

export interface Interlude {
  begin(): InterludeStep;
  take(input: InterludeInput): InterludeStep;
  /** An answer such as is expected, which recognition goes on from; the caller may say anything else as well. Null: none. */
  expected?(): string | null;
  /** It comes to nothing: another one begins, or the call ends. */
  dropped?(): void;
}
