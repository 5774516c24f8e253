import { contentStems } from '../../../language/retrieval/index.ts';
import { AGENT_LANGUAGE_WORDS, type AgentLanguage } from '../../../language/text/index.ts';

const LONGEST_TERM = 40;

export const searchLanguage = (language: string): AgentLanguage =>
  Object.hasOwn(AGENT_LANGUAGE_WORDS, language) ? (language as AgentLanguage) : 'en';

/**
 * Terms in other scripts are encoded as bytes, so that the tokenizers of both databases treat every language alike.
 */
const ascii = (term: string): string =>
  /^[a-z0-9]+$/.test(term) ? term : `u${Buffer.from(term.slice(0, LONGEST_TERM)).toString('hex')}`;

export const termsOf = (text: string, language: string): string[] =>
  contentStems(text, searchLanguage(language)).map((term) => ascii(term.slice(0, LONGEST_TERM)));
