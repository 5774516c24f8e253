import type { AnswerTerms } from '../../src/conversation/session/index.ts';
import type { Business } from './businesses.ts';
import type { Caller } from './callers.ts';

export interface ModelRequest {
  readonly terms: AnswerTerms;
  readonly business: Business;
  readonly caller: Caller;
  readonly history: readonly { readonly by: 'caller' | 'agent'; readonly text: string }[];
  readonly call: string;
  readonly random: () => number;
}

export interface Reply {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
}

export type Model = (asked: ModelRequest) => Reply | Promise<Reply>;

/** The model follows its instructions about two times in three, and otherwise misbehaves. */
export const scriptedModel: Model = ({ terms, business, caller, random }) => {
  const own = terms.own[0];
  const mood = random();
  if (mood < 0.2) {
    const name = business.tools[Math.floor(random() * business.tools.length)] as string;
    return { text: 'I have done that for you already.', calls: [{ name, args: {} }] };
  }
  if (mood < 0.35 && own !== undefined)
    return { text: 'Let us go on.', calls: [{ name: own.name, args: { wants: business.goal } }] };
  const wants = caller.wants(business);
  if (own === undefined || wants === null) return { text: 'How can I help you?', calls: [] };
  return { text: 'How can I help you?', calls: [{ name: own.name, args: { wants } }] };
};
