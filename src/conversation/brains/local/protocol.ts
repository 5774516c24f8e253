import type { BrainEvent, BrainFault, BrainMessage, BrainTool } from '../contract.ts';

/** The messages between the server and the process that runs a model. */

export interface LocalQuestion {
  /** The cache entry of this call serves its next question; an empty id has none. */
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

export interface LocalModelFacts {
  /** How many tokens each call has for its prompt and its answer. */
  readonly contextTokens: number;
  /** How many the model was trained for; null where its file does not say. */
  readonly trainedTokens: number | null;
  /** The number of calls whose evaluated prefix is cached, and of concurrent answers. */
  readonly calls: number;
  /** The runtime's estimate of the memory of these contexts. */
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
