import type { BrainLanguage, BrainTool } from '../../../../src/conversation/brains/index.ts';

export interface Question {
  readonly ask: string;
  readonly right?: readonly string[];
  readonly wrong?: readonly string[];
}

export interface Business {
  readonly name: string;
  readonly language: BrainLanguage;
  readonly persona: string;
  readonly tools: readonly BrainTool[];
  /** No answer may hold these parts, which are for the agent alone. */
  readonly unsaid: readonly string[];
  readonly questions: readonly Question[];
}

export const tool = (name: string, description: string, ...required: readonly string[]): BrainTool => ({
  name,
  description,
  parameters: {
    type: 'object',
    required,
    properties: Object.fromEntries(required.map((argument) => [argument, { type: 'string' }])),
  },
});
