import type { Condition, TransferManner } from './schema.ts';

export interface PathStep {
  readonly node: string;
  readonly enteredAtMs: number;
  /** Null means that the call is in this node or ended there. */
  readonly leftBy: Condition | 'global' | 'back' | 'ended' | null;
  readonly reason: string | null;
}

export interface Refused {
  readonly node: string;
  readonly wanted: string;
  readonly atMs: number;
  readonly reason: string;
}

/** The state of a call's flow is plain data: it can be stored, and the same events lead to the same state. */
export interface FlowState {
  readonly node: string;
  readonly status: 'working' | 'done' | 'failed';
  readonly values: Readonly<Record<string, unknown>>;
  readonly filled: readonly string[];
  readonly passed: readonly string[];
  readonly visits: Readonly<Record<string, number>>;
  readonly turns: number;
  readonly silences: number;
  readonly timeIsUp: boolean;
  readonly answer: string | null;
  /** Nodes that global edges left, the newest last. */
  readonly left: readonly string[];
  readonly path: readonly PathStep[];
  readonly refused: readonly Refused[];
  readonly moves: number;
  readonly over: boolean;
}

export type FlowEvent =
  | { readonly kind: 'heard'; readonly text: string }
  /** The caller said it to a question that is not the node's own: only global edges are asked. */
  | { readonly kind: 'aside'; readonly text: string }
  | { readonly kind: 'keys'; readonly keys: string }
  | { readonly kind: 'silence' }
  | { readonly kind: 'language'; readonly language: string }
  | { readonly kind: 'spoken'; readonly whole: boolean }
  | { readonly kind: 'answered' }
  | { readonly kind: 'exit'; readonly intent: string }
  | { readonly kind: 'captured'; readonly slot: string; readonly value: unknown }
  | { readonly kind: 'capture_failed'; readonly slot: string }
  | { readonly kind: 'result'; readonly ok: boolean; readonly value?: unknown }
  | { readonly kind: 'chosen'; readonly answer: string | null }
  | { readonly kind: 'time' };

export type FlowEffect =
  | { readonly kind: 'say'; readonly text: string; readonly whole: boolean }
  | { readonly kind: 'repeat' }
  /** The model sees only the node and its exits. */
  | { readonly kind: 'speak'; readonly query: string | null }
  | { readonly kind: 'ask'; readonly slot: string }
  | { readonly kind: 'hear' }
  | { readonly kind: 'listen' }
  | { readonly kind: 'idle' }
  | { readonly kind: 'call'; readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly kind: 'choose'; readonly question: string; readonly answers: readonly string[] }
  /** `until` is null where time alone ends the wait. */
  | { readonly kind: 'wait'; readonly until: 'human' | 'hold_end' | null }
  | { readonly kind: 'send'; readonly body: string }
  | {
      readonly kind: 'transfer';
      readonly to: string;
      readonly summary: string;
      readonly manner: TransferManner;
    }
  | {
      readonly kind: 'handoff';
      readonly agentId: string;
      readonly context: 'all' | 'summary' | 'slots';
      readonly slots: readonly string[] | null;
    }
  | { readonly kind: 'end' }
  | { readonly kind: 'refuse'; readonly reason: string }
  | { readonly kind: 'entered'; readonly node: string; readonly from: string | null };

export interface FlowStep {
  readonly state: FlowState;
  readonly effects: readonly FlowEffect[];
}

export interface Moment {
  readonly atMs: number;
  readonly language: string;
}
