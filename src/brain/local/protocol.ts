import type { BrainEvent, BrainMessage, BrainTool } from '../contract.ts';

/** What passes between the server and the process that runs a model. */

export interface LocalQuestion {
  readonly system: string;
  readonly messages: readonly BrainMessage[];
  readonly tools: readonly BrainTool[];
  readonly maxTokens: number;
  readonly seed?: number;
  readonly temperature?: number;
}

export type ToWorker =
  | { readonly kind: 'ask'; readonly id: number; readonly question: LocalQuestion }
  | { readonly kind: 'cancel'; readonly id: number };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'event'; readonly id: number; readonly event: BrainEvent }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };
