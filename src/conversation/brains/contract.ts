import type { AgentLanguage } from '../../language/text/index.ts';
import type { AnswerVoice } from './answer-voice.ts';

export type BrainLanguage = AgentLanguage;

export interface BrainTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface BrainToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it; the session checks it before anything is called. */
  readonly arguments: string;
}

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
  /** The messages are oldest first, contain only the played words of the agent, and end with the caller or a tool. */
  readonly messages: readonly BrainMessage[];
  readonly tools: readonly BrainTool[];
  /** Passages are data and never instructions. */
  readonly passages: readonly Passage[];
  readonly seed?: number;
  readonly temperature?: number;
  /** The brain stored this after the last accepted turn; it is opaque to the session. */
  readonly memory?: unknown;
  readonly moment?: { readonly now: number; readonly timeZone: string };
  /** It is absent where the last message of the caller was not spoken. */
  readonly callerAudio?: CallerAudio;
  /** The call plays the voice of a model that has one; otherwise its answer is text alone. */
  readonly playsVoice?: true;
  /** Another brain failed after these words of the answer; this one continues after them. */
  readonly begun?: string;
  /** It is absent outside of calls. */
  readonly sentTo?: CountRequest;
  /** With `strict`, the default, the brain says only what persona, passages and tools support. */
  readonly grounding?: 'strict' | 'open';
  readonly timeZone?: string;
  /** The name comes from the operator's list; without it, the operator's rules or the default brain decide. */
  readonly brain?: string;
  /** The customer's plan, by which the operator's rules choose; no model sees it. */
  readonly plan?: string;
  readonly written?: boolean;
  /** With a task, `persona` is the whole prompt without the rules of a call, and the request may take longer. */
  readonly task?: JsonTask;
  /** The circuit breaker isolates failures by owner; no model sees it. */
  readonly owner?: string;
  /** The id finds the call's cached prompt evaluation; no model sees it. */
  readonly call?: string;
}

/** The sound of the caller's last words, for a brain that hears them itself. */
export interface CallerAudio {
  /** The words of the recognizer for this audio; the last message of the caller ends with them. */
  readonly text: string;
  /** PCM16 at 24 kHz. */
  readonly pcm: Uint8Array;
  /** Counts a request that carries the audio, in place of the request's own `sentTo`. */
  readonly sentTo: CountRequest;
}

/** Every request of a call counts: the record of the call names the host. */
export type CountRequest = (destination: BrainDestination) => BrainUse;

export interface BrainDestination {
  readonly name: string;
  readonly host: string;
  /** The price of an hour of the caller's audio. */
  readonly microsPerHour: number;
  /** The price of an hour of the model's own voice. */
  readonly microsPerSpokenHour?: number;
}

export interface BrainUse {
  received(characters: number): void;
  /** Counts further audio of the model's own voice. */
  spoke(ms: number): void;
  failed(): void;
}

export interface JsonTask {
  /** Names the schema to an endpoint: letters, digits, `_` and `-`. */
  readonly name: string;
  /** Without a schema, the request continues a truncated answer, and any text may follow. */
  readonly schema?: object;
  readonly maxTokens: number;
}

export type BrainCallContext = Pick<BrainRequest, 'call' | 'owner' | 'brain' | 'plan' | 'grounding'>;

export interface BrainUsage {
  readonly promptTokens: number;
  /** The part of the prompt tokens that the endpoint served from its cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
}

export type BrainEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool_call'; readonly call: BrainToolCall }
  | { readonly kind: 'thinking' }
  /** The words that follow have the model's own voice. */
  | { readonly kind: 'voice'; readonly voice: AnswerVoice }
  /** Audio of the answer came. A model sends the words of a sentence before its audio. */
  | { readonly kind: 'sound' }
  | ({ readonly kind: 'usage' } & BrainUsage)
  | { readonly kind: 'truncated' }
  /** The session stores it only when the turn is accepted, so that a discarded turn leaves no trace. */
  | { readonly kind: 'memory'; readonly memory: unknown }
  /**
   * The next brain answers. Within an answer, `dropped` counts the characters at its end that the next brain writes
   * again.
   */
  | { readonly kind: 'fallback'; readonly fault: BrainFault; readonly dropped?: number }
  /** The call ends, or is transferred to a person, after the brain's words. */
  | { readonly kind: 'action'; readonly action: 'end_call' | 'hand_over' };

export type BrainFault = 'unreachable' | 'timeout' | 'overloaded' | 'refused' | 'garbage';

/** The message is for the operator's log; callers hear the session's own words. */
export class BrainError extends Error {
  readonly fault: BrainFault;
  /** No event was delivered yet, and the same request may succeed at once or elsewhere. */
  readonly retryable: boolean;
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
  /** It cannot continue the words of another brain, so that its answer starts a new sentence. */
  readonly startsSentence?: true;
  /** Streams the answer. Aborting the signal stops the work and ends the iteration without an error.
   * Throws BrainError; nothing else. */
  respond(request: BrainRequest, signal: AbortSignal): AsyncIterable<BrainEvent>;
  /** Prepares for a call with this persona before its first question. Never throws. */
  prepare?(persona: string, language: BrainLanguage, of?: BrainCallContext): void;
}
