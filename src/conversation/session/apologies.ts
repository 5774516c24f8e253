import { AGENT_LANGUAGE_WORDS, type AgentLanguage } from '../../language/text/index.ts';
import type { BrainMessage } from '../brains/index.ts';

/**
 * Chooses the line after a failed answer. The agent repeats its own open question once; otherwise it asks the
 * caller to repeat theirs.
 */
export function apologyAfter(
  messages: readonly BrainMessage[],
  language: AgentLanguage,
  { again }: { readonly again: boolean },
): string {
  const { apology, trouble } = AGENT_LANGUAGE_WORDS[language].phrases;
  const said = messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
  const question = again ? null : questionAtEnd(said);
  return question === null ? apology : `${trouble} ${question}`;
}

const questionAtEnd = (text: string): string | null =>
  /[^.!?।…]+\?\s*$/u.exec(text.trim())?.[0].trim() ?? null;
