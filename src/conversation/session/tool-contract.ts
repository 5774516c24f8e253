import type { Interlude, InterludeStep } from './interlude.ts';

export interface ToolAnswer {
  readonly result?: unknown;
  readonly error?: string;
}

/** Runs a tool on the server. The signal aborts when the answer is no longer wanted. */
export type ToolRun = (invocation: ToolInvocation, signal: AbortSignal) => Promise<ToolAnswer>;

export type ToolEffect =
  | { readonly kind: 'end_call' | 'hand_over' }
  | { readonly kind: 'interlude'; readonly interlude: Interlude }
  | { readonly kind: 'step'; readonly step: () => InterludeStep };

export interface SessionTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Replaces the check by `parameters`: describes the errors in the arguments to the model. */
  readonly problem?: (args: Record<string, unknown>) => string | null;
  readonly timeoutMs: number;
  readonly filler: string | null;
  /** The effect cannot be undone, so the engine asks the caller before each call. */
  readonly confirm?: boolean;
  /** Without it, the client of the call runs the tool. */
  readonly run?: ToolRun;
  readonly act?: (args: Record<string, unknown>) => ToolEffect;
}

export interface ToolInvocation {
  readonly callId: string;
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly timeoutMs: number;
}

export type ToolRefusal =
  | 'unknown_tool'
  | 'invalid_arguments'
  | 'timeout'
  | 'failed'
  | 'closed'
  | 'too_many'
  | 'unconfirmed'
  | 'cancelled';

export type ToolOutcome =
  | { readonly kind: 'result'; readonly content: string }
  | { readonly kind: 'effect'; readonly effect: ToolEffect; readonly content: string }
  | { readonly kind: 'error'; readonly reason: ToolRefusal; readonly content: string };
