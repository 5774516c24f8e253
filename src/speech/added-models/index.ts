export { megabytes, type Network, type Offer } from './acquire.ts';
export { addModel, titleOf } from './add.ts';
export { AddedModelError } from './errors.ts';
export { hubOf } from './hub.ts';
export {
  type AddedEmbedder,
  type AddedModel,
  AddedModels,
  type AddedRecognizer,
  type AddedStyles,
  type AddedVoice,
  type EmbedderFacts,
  type EmbedderMeasured,
  kokoroIds,
  type Measured,
  type PiperFacts,
  STOCK_EMBEDDERS,
  STOCK_RECOGNIZER,
  voiceIds,
  voiceIdsOf,
  type WhisperFacts,
} from './lock.ts';
export { openModelNetwork } from './network.ts';
export { knowsLanguage, languagesOf, Recognizers } from './recognizers.ts';
export { testEmbedder } from './retrieval-test.ts';
export { decidingRule, planAllows, type ServingRule, withRule } from './rules.ts';
export { testRecognizer, testVoice } from './self-test.ts';
export { StyleLinks } from './style-links.ts';
