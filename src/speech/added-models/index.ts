export { megabytes, type Network, type Offer } from './acquire.ts';
export { addModel, titleOf } from './add.ts';
export { AddedModelError } from './errors.ts';
export { hubOf } from './hub.ts';
export {
  type AddedModel,
  AddedModels,
  type AddedRecognizer,
  type AddedVoice,
  type Measured,
  type PiperFacts,
  type RecognitionRule,
  STOCK_RECOGNIZER,
  voiceIds,
  type WhisperFacts,
  withRule,
} from './lock.ts';
export { openModelNetwork } from './network.ts';
export { knowsLanguage, Recognizers } from './recognizers.ts';
export { testRecognizer, testVoice } from './self-test.ts';
