import type { Condition, TransferManner } from './schema.ts';

export interface PathStep {
  readonly node: string;
  readonly enteredAtMs: number;
  /** The condition of the edge that left it; null: the call is there, or ended there. */
  readonly leftBy: Condition | 'global' | 'back' | 'ended' | null;
  readonly reason: string | null;
}

/** An edge, an exit or a tool that was not taken, though somebody wanted it. */
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
  /** Slots and variables. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly filled: readonly string[];
  readonly passed: readonly string[];
  readonly visits: Readonly<Record<string, number>>;
  /** Turns of the caller in this node. */
  readonly turns: number;
  readonly silences: number;
  readonly timeIsUp: boolean;
  /** The model's answer in a decide node. */
  readonly answer: string | null;
  /** Nodes that global edges left, the newest last. */
  readonly left: readonly string[];
  readonly path: readonly PathStep[];
  readonly refused: readonly Refused[];
  readonly moves: number;
  readonly over: boolean;
}

export type FlowEvent =
  /** The caller's turn. */
  | { readonly kind: 'heard'; readonly text: string }
  | { readonly kind: 'keys'; readonly keys: string }
  /** Nobody answered. */
  | { readonly kind: 'silence' }
  /** The caller speaks another language from now on. */
  | { readonly kind: 'language'; readonly language: string }
  /** Words that must be heard whole were, or were not. */
  | { readonly kind: 'spoken'; readonly whole: boolean }
  /** The model has had its turn. */
  | { readonly kind: 'answered' }
  /** The model says that the caller wants this. */
  | { readonly kind: 'exit'; readonly intent: string }
  | { readonly kind: 'captured'; readonly slot: string; readonly value: unknown }
  | { readonly kind: 'capture_failed'; readonly slot: string }
  /** The result of a tool, a message, a wait or another agent. */
  | { readonly kind: 'result'; readonly ok: boolean; readonly value?: unknown }
  | { readonly kind: 'chosen'; readonly answer: string | null }
  /** The time of the node is over. */
  | { readonly kind: 'time' };

export type FlowEffect =
  | { readonly kind: 'say'; readonly text: string; readonly whole: boolean }
  /** The last line is spoken once more. */
  | { readonly kind: 'repeat' }
  /** The model answers, told of the node and its exits alone. */
  | { readonly kind: 'speak'; readonly query: string | null }
  | { readonly kind: 'ask'; readonly slot: string }
  /** The caller's words answer the open question. */
  | { readonly kind: 'hear' }
  /** The caller is waited for. */
  | { readonly kind: 'listen' }
  /** The caller is asked whether they are still there. */
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
  /** The call has come to another node. */
  | { readonly kind: 'entered'; readonly node: string; readonly from: string | null };

export interface FlowStep {
  readonly state: FlowState;
  readonly effects: readonly FlowEffect[];
}

/** When something happens, and in which language. */
export interface Moment {
  readonly atMs: number;
  readonly language: string;
}
