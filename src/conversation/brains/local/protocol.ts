import type { BrainEvent, BrainFault, BrainMessage, BrainTool } from '../contract.ts';

/** What passes between the server and the process that runs a model. */

export interface LocalQuestion {
  /** Whose evaluated beginning is kept for its next question; empty: no call's. */
  readonly call: string;
  readonly owner: string;
  readonly system: string;
  readonly messages: readonly BrainMessage[];
  readonly tools: readonly BrainTool[];
  readonly maxTokens: number;
  /** JSON Schema that the answer is held to. */
  readonly schema?: object;
  readonly seed?: number;
  readonly temperature?: number;
}

/** What a model turned out to be once it was loaded. */
export interface LocalModelFacts {
  /** How many tokens each call has for its prompt and its answer. */
  readonly contextTokens: number;
  /** How many the model was trained for; null where its file does not say. */
  readonly trainedTokens: number | null;
  /** Of how many calls what was evaluated is kept; so many answers are given at once. */
  readonly calls: number;
  /** What the contexts of these calls take, as the runtime reckons it. */
  readonly contextBytes: number;
  /** Measured alone on this machine, just after loading. */
  readonly readTokensPerSecond: number;
  readonly writtenTokensPerSecond: number;
}

export type ToWorker =
  | { readonly kind: 'ask'; readonly id: number; readonly question: LocalQuestion }
  /** A call begins: what its prompt begins with can be evaluated before the first question. */
  | { readonly kind: 'prepare'; readonly question: LocalQuestion }
  | { readonly kind: 'cancel'; readonly id: number };

export type FromWorker =
  | { readonly kind: 'ready'; readonly facts: LocalModelFacts }
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'event'; readonly id: number; readonly event: BrainEvent }
  /** How quickly an answer was written, its first token left out. */
  | { readonly kind: 'measured'; readonly id: number; readonly tokens: number; readonly ms: number }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly fault: BrainFault; readonly message: string };
