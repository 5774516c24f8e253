import type { SessionTool } from './tool-contract.ts';

/** In a step of a flow, the brain gets these terms instead of the session's. */
export interface AnswerTerms {
  readonly persona: string;
  /** Names of the tools of the session that may be called. */
  readonly tools: readonly string[];
  /** Tools of the step itself. */
  readonly own: readonly SessionTool[];
  /** Why any other tool may not be called now. */
  refusal(tool: string): string | null;
  /** The search for knowledge: an empty text uses the caller's words, null searches for nothing. */
  readonly query: string | null;
  /** How many of the newest messages of the call are told. */
  readonly messages: number;
}
