import type { SessionTool } from './tool-contract.ts';

export interface AnswerTerms {
  readonly persona: string;
  readonly tools: readonly string[];
  readonly own: readonly SessionTool[];
  refusal(tool: string): string | null;
  /** An empty text searches knowledge with the caller's words; null skips the search. */
  readonly query: string | null;
  readonly messages: number;
}
