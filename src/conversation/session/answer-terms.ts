import type { SessionTool } from './tool-contract.ts';

/** What the brain is told in one step of a flow, in the place of what the session tells it. */
export interface AnswerTerms {
  readonly persona: string;
  /** Names of the tools of the session that may be called. */
  readonly tools: readonly string[];
  /** Tools of the step itself. */
  readonly own: readonly SessionTool[];
  /** Why any other tool may not be called now. */
  refusal(tool: string): string | null;
  /** What knowledge is looked for with; '' for what the caller said, null for none. */
  readonly query: string | null;
  /** How many of the newest messages of the call are told. */
  readonly messages: number;
}
