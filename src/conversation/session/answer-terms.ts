import type { SessionTool } from './tool-contract.ts';

export interface AnswerTerms {
  readonly persona: string;
  readonly tools: readonly string[];
  readonly own: readonly SessionTool[];
  /** Returns why any other tool cannot be called now. */
  refusal(tool: string): string | null;
  /** An empty text searches knowledge with the caller's words; null skips the search. */
  readonly query: string | null;
  /** The brain gets this many of the newest messages. */
  readonly messages: number;
}
