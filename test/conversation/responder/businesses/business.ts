import type { BrainLanguage, BrainTool } from '../../../../src/conversation/brains/index.ts';

export interface Question {
  readonly ask: string;
  /** All of these stand in the right answer, in the persona's own words; absent: the persona does not say. */
  readonly right?: readonly string[];
  readonly wrong?: readonly string[];
}

/** A business as its owner would write it into the persona, with the tools of its agent. */
export interface Business {
  readonly name: string;
  readonly language: BrainLanguage;
  readonly persona: string;
  readonly tools: readonly BrainTool[];
  /** Pieces of what only the agent should read: no answer holds one. */
  readonly unsaid: readonly string[];
  readonly questions: readonly Question[];
}

/** A tool with the names of its arguments, all of them text and required. */
export const tool = (name: string, description: string, ...required: readonly string[]): BrainTool => ({
  name,
  description,
  parameters: {
    type: 'object',
    required,
    properties: Object.fromEntries(required.map((argument) => [argument, { type: 'string' }])),
  },
});
