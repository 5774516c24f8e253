import type { SessionTool } from './tool-contract.ts';
import type { AllowedTopics } from './topic-guard.ts';

export interface AnswerTerms {
  readonly persona: string;
  readonly tools: readonly string[];
  readonly own: readonly SessionTool[];
  refusal(tool: string): string | null;
  /** An empty text searches knowledge with the caller's words; null skips the search. */
  readonly query: string | null;
  readonly messages: number;
  /** It is absent where the answer may be about anything. */
  readonly topics?: AllowedTopics;
}
