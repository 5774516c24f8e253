export { megabytes, type Network, type Offer } from './acquire.ts';
export { addModel, titleOf } from './add.ts';
export { AddedModelError } from './errors.ts';
export { hubOf } from './hub.ts';
export {
  type AddedModel,
  AddedModels,
  type AddedRecognizer,
  type AddedStyles,
  type AddedVoice,
  kokoroIds,
  type Measured,
  type PiperFacts,
  STOCK_RECOGNIZER,
  voiceIds,
  voiceIdsOf,
  type WhisperFacts,
} from './lock.ts';
export { openModelNetwork } from './network.ts';
export { knowsLanguage, languagesOf, Recognizers } from './recognizers.ts';
export { decidingRule, planAllows, type ServingRule, withRule } from './rules.ts';
export { testRecognizer, testVoice } from './self-test.ts';
export { StyleLinks } from './style-links.ts';
