import type { BrainEvent, BrainFault, BrainMessage, BrainTool } from '../contract.ts';

export interface LocalQuestion {
  /** The call's cached evaluation serves its next question; an empty id has none. */
  readonly call: string;
  readonly owner: string;
  readonly system: string;
  readonly messages: readonly BrainMessage[];
  readonly tools: readonly BrainTool[];
  readonly maxTokens: number;
  /** The model continues these words of its answer. */
  readonly begun?: string;
  readonly schema?: object;
  readonly seed?: number;
  readonly temperature?: number;
}

export interface LocalModelFacts {
  readonly contextTokens: number;
  readonly trainedTokens: number | null;
  /** The number of calls whose evaluated prefix is cached, and of concurrent answers. */
  readonly calls: number;
  readonly contextBytes: number;
  /** Measured without other load, just after loading. */
  readonly readTokensPerSecond: number;
  readonly writtenTokensPerSecond: number;
}

export type ToWorker =
  | { readonly kind: 'ask'; readonly id: number; readonly question: LocalQuestion }
  | { readonly kind: 'prepare'; readonly question: LocalQuestion }
  | { readonly kind: 'cancel'; readonly id: number };

export type FromWorker =
  | { readonly kind: 'ready'; readonly facts: LocalModelFacts }
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'event'; readonly id: number; readonly event: BrainEvent }
  | { readonly kind: 'measured'; readonly id: number; readonly tokens: number; readonly ms: number }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly fault: BrainFault; readonly message: string };
