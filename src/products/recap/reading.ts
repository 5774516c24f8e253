import { AGENT_LANGUAGE_WORDS, type AgentLanguage } from '../../language/text/index.ts';
import type { Conversation } from '../trace/index.ts';

/** The language in which a call is read, and a model is asked of it. */
export const languageOf = ({ language }: Pick<Conversation, 'language'>): AgentLanguage =>
  language !== null && language in AGENT_LANGUAGE_WORDS ? (language as AgentLanguage) : 'en';

/** The language in which a model writes the summary. */
export const summaryLanguageOf = ({ language, summaryLanguage }: Conversation): AgentLanguage =>
  languageOf({ language: summaryLanguage ?? language });

/** The call as a model reads it, a line an utterance. */
export const linesOf = ({ utterances }: Conversation): string =>
  utterances.map(({ speaker, text }, turn) => `${turn} ${speaker}: ${text}`).join('\n');
