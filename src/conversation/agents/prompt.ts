import { type BrainTool, systemPrompt } from '../brains/index.ts';
import type { Agent } from './agent-store.ts';
import type { AgentFields } from './fields.ts';

/** Calls in these languages run in English. */
const UNSERVED = new Set(['de']);

export const servedLanguage = (language: AgentFields['language']): Exclude<AgentFields['language'], null> =>
  language === null || UNSERVED.has(language) ? 'en' : language;

/** The profile's setting wins; by default grounding is strict where knowledge is bound. */
export const groundingOf = (
  fields: Pick<AgentFields, 'grounding' | 'knowledge_base_ids'>,
): 'strict' | 'open' => fields.grounding ?? (fields.knowledge_base_ids.length > 0 ? 'strict' : 'open');

export function buildAgentPrompt(
  { fields }: Pick<Agent, 'fields'>,
  moment: { readonly now: number; readonly timeZone: string },
  tools: readonly BrainTool[],
): string {
  return systemPrompt({
    language: servedLanguage(fields.language),
    persona: fields.persona,
    grounding: groundingOf(fields),
    messages: [],
    passages: [],
    tools,
    moment: fields.time_zone === null ? moment : { ...moment, timeZone: fields.time_zone },
  });
}
