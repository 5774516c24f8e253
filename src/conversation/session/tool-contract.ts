import type { Interlude, InterludeStep } from './interlude.ts';

export interface ToolAnswer {
  readonly result?: unknown;
  readonly error?: string;
}

/** Runs a tool on this side of the wire. Aborting means that nobody wants the answer any more. */
export type ToolRun = (invocation: ToolInvocation, signal: AbortSignal) => Promise<ToolAnswer>;

export type ToolEffect =
  /** The call ends with these words, or goes to a person. */
  | { readonly kind: 'end_call' | 'hand_over' }
  /** The engine talks to the caller in the place of the brain, then tells what came of it. */
  | { readonly kind: 'interlude'; readonly interlude: Interlude }
  /** The interlude that has the call goes on with this, once the turn is heard. */
  | { readonly kind: 'step'; readonly step: () => InterludeStep };

export interface SessionTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Replaces the check by `parameters`: describes to the model what is wrong with the arguments. */
  readonly problem?: (args: Record<string, unknown>) => string | null;
  readonly timeoutMs: number;
  /** Spoken while the tool runs. */
  readonly filler: string | null;
  /** The effect cannot be undone, so the engine asks the caller before each call. */
  readonly confirm?: boolean;
  /** Without it, the client of the call runs the tool. */
  readonly run?: ToolRun;
  /** A built-in tool, which is done by the engine itself. */
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
