import { AGENT_LANGUAGE_WORDS, type AgentLanguage } from '../../language/text/index.ts';
import type { Conversation } from '../trace/index.ts';

/** The language in which a call is analyzed and the model is prompted. */
export const languageOf = ({ language }: Pick<Conversation, 'language'>): AgentLanguage =>
  language !== null && language in AGENT_LANGUAGE_WORDS ? (language as AgentLanguage) : 'en';

/** The language in which a model writes the summary. */
export const summaryLanguageOf = ({ language, summaryLanguage }: Conversation): AgentLanguage =>
  languageOf({ language: summaryLanguage ?? language });

/** Formats the call for a model, one utterance a line. */
export const linesOf = ({ utterances }: Conversation): string =>
  utterances.map(({ speaker, text }, turn) => `${turn} ${speaker}: ${text}`).join('\n');
