export { ApertiumTranslator } from './apertium.ts';
export {
  TRIAL,
  type TranslationDirection,
  type TranslationOffer,
  type TranslationRequest,
  type Translator,
  type TranslatorName,
} from './contract.ts';
export { type ListedDirection, TranslationDirections, type TranslationRoute } from './directions.ts';
export { ModelTranslator } from './model.ts';
export { WhisperTranslator } from './whisper.ts';
