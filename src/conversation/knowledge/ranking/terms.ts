import { contentStems } from '../../../language/retrieval/index.ts';
import { AGENT_LANGUAGE_WORDS, type AgentLanguage } from '../../../language/text/index.ts';

const LONGEST_TERM = 40;

/** Selects the stop words and the stemmer for a base. */
export const searchLanguage = (language: string): AgentLanguage =>
  Object.hasOwn(AGENT_LANGUAGE_WORDS, language) ? (language as AgentLanguage) : 'en';

/** Letters of other scripts are spelt by their bytes: every database's tokenizer then reads every language alike. */
const ascii = (term: string): string =>
  /^[a-z0-9]+$/.test(term) ? term : `u${Buffer.from(term.slice(0, LONGEST_TERM)).toString('hex')}`;

/** The terms of a text, as they stand in the index. */
export const termsOf = (text: string, language: string): string[] =>
  contentStems(text, searchLanguage(language)).map((term) => ascii(term.slice(0, LONGEST_TERM)));
