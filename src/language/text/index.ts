export * from './contract.ts';
export { languageAskedFor } from './language-request.ts';
export { AGENT_LANGUAGE_WORDS, LANGUAGE_WORDS } from './languages.ts';
export { isLuhnValid } from './luhn.ts';
export { type NumberLexicon, numberLexicon } from './number-words.ts';
export { detectOptOut, OPT_OUT, type OptOutIntent } from './opt-out.ts';
export {
  findPhonetic,
  mayContain,
  normalizeIpa,
  type PhoneticSpan,
  type PhoneticWord,
} from './phonetic-match.ts';
export { type Intent, intentOf } from './small-talk.ts';
export { numberWords } from './spelled-numbers.ts';
export {
  bareText,
  fold,
  phraseAt,
  plainText,
  spokenWords,
  startsClause,
  type Token,
  tokensOf,
  wordAt,
} from './tokens.ts';
export { phrase } from './words.ts';
