export * from './contract.ts';
export { LANGUAGES, SPOKEN } from './languages.ts';
export { type NumberLexicon, numberLexicon } from './number-words.ts';
export { OPT_OUT, type OptOutSaid, optOutIn } from './opt-out.ts';
export { type Intent, intentOf } from './small-talk.ts';
export { findSounds, mayHold, plainSounds, type Sounding, type SoundSpan } from './sounds.ts';
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
