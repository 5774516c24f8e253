import type { CallRecord } from './server-api.ts';
import type { Expectation } from './suite.ts';

export interface PlayedToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface PlayedStep {
  readonly what: string;
  readonly kind: string;
  readonly atMs: number;
  readonly heard: string;
  readonly said: string;
  readonly gapMs: number | null;
  readonly interrupted: boolean;
  readonly tools: readonly PlayedToolCall[];
  readonly expect: Expectation | undefined;
}

export interface PlayedCall {
  readonly callId: string | null;
  readonly outcome: string | null;
  readonly record: CallRecord | null;
  readonly steps: readonly PlayedStep[];
  readonly slots: Readonly<Record<string, string>>;
  readonly tools: readonly PlayedToolCall[];
  /** The WAV has the caller left and the agent right; null where the run keeps no audio. */
  readonly audio: Buffer | null;
}
