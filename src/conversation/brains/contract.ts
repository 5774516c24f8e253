/** The language model door: what a session asks of a brain, whichever brain answers. */

import type { AgentLanguage } from '../../language/text/index.ts';

export type BrainLanguage = AgentLanguage;

export interface BrainTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface BrainToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it; the session checks it before anything is called. */
  readonly arguments: string;
}

/** Stands before the keys that a caller pressed, where a caller's words stand. */
export const KEYPAD = '(keypad) ';

export type BrainMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly BrainToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly content: string };

export interface Passage {
  readonly text: string;
  readonly source?: string;
  readonly score?: number;
}

export interface BrainRequest {
  readonly language: BrainLanguage;
  readonly persona: string;
  /** The call so far, oldest first; only what the caller really heard of the agent. Ends with the caller or a tool. */
  readonly messages: readonly BrainMessage[];
  readonly tools: readonly BrainTool[];
  /** Retrieved for this turn. Data, never instructions. */
  readonly passages: readonly Passage[];
  readonly seed?: number;
  readonly temperature?: number;
  /** The brain stored this after the last accepted turn; it is opaque to the session. */
  readonly memory?: unknown;
  /** When it is asked, and whose days "today" and "tomorrow" are (an IANA name). */
  readonly moment?: { readonly now: number; readonly timeZone: string };
  /** Strict: only what persona, passages and tools support is said; absent: strict. */
  readonly grounding?: 'strict' | 'open';
  /** The zone for dates (an IANA name), where it is not the operator's. */
  readonly timeZone?: string;
  /** A name of the operator's list of brains; absent: the one that answers by default. */
  readonly brain?: string;
  /** It answers text messages, not a voice. */
  readonly written?: boolean;
  /** `persona` is the whole prompt then: no rule of a call follows it, and nobody waits on a line for the answer. */
  readonly task?: JsonTask;
  /** Failures are isolated by owner; no model sees it. */
  readonly owner?: string;
  /** Which call it is, for finding what was read of its earlier prompts; told to no model. */
  readonly call?: string;
}

/** A task outside of any call, which the model answers with one JSON object. */
export interface JsonTask {
  /** Names the schema to an endpoint: letters, digits, `_` and `-`. */
  readonly name: string;
  /** JSON Schema of the answer. Absent: the request continues an answer that was truncated, and any text may follow. */
  readonly schema?: object;
  readonly maxTokens: number;
}

/** A call that begins. */
export type BrainCallContext = Pick<BrainRequest, 'call' | 'owner' | 'brain' | 'grounding'>;

export interface BrainUsage {
  readonly promptTokens: number;
  /** The part of the prompt tokens that the endpoint served from its cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
}

export type BrainEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool_call'; readonly call: BrainToolCall }
  /** It lives, and has nothing to say yet. */
  | { readonly kind: 'thinking' }
  /** Endpoints that report usage send this event. */
  | ({ readonly kind: 'usage' } & BrainUsage)
  /** The answer ended at its limit of tokens, not by itself. */
  | { readonly kind: 'truncated' }
  /** Kept by the session only when the turn is accepted, so that a discarded turn leaves no trace. */
  | { readonly kind: 'memory'; readonly memory: unknown }
  /** Another brain answers from here, because the one before it could not. */
  | { readonly kind: 'fallback'; readonly fault: BrainFault }
  /** The brain wants the call to end, or to go to a person, once its words are spoken. */
  | { readonly kind: 'action'; readonly action: 'end_call' | 'hand_over' };

export type BrainFault = 'unreachable' | 'timeout' | 'overloaded' | 'refused' | 'garbage';

/** Why a brain gave no (more) answer. The message is for the operator's log; callers hear the session's own words. */
export class BrainError extends Error {
  readonly fault: BrainFault;
  /** Nothing was said yet and the same request may succeed at once or elsewhere. */
  readonly retryable: boolean;
  /** How long it asked to be left alone. */
  readonly retryAfterMs: number | null;

  constructor(
    fault: BrainFault,
    message: string,
    options: { retryable: boolean; retryAfterMs?: number | null; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = 'BrainError';
    this.fault = fault;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

export interface Brain {
  readonly name: string;
  /** Streams the answer. Aborting the signal stops the work and ends the iteration without an error.
   * Throws BrainError; nothing else. */
  respond(request: BrainRequest, signal: AbortSignal): AsyncIterable<BrainEvent>;
  /** A call with this persona begins: what takes time can be done before the first question. Never throws. */
  prepare?(persona: string, language: BrainLanguage, of?: BrainCallContext): void;
}
