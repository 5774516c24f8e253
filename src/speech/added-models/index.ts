export { megabytes, type Network, type Offer } from './acquire.ts';
export { addModel, titleOf } from './add.ts';
export { AddedModelError } from './errors.ts';
export { hubOf } from './hub.ts';
export { KOKORO_RATE } from './kokoro.ts';
export {
  type AddedEmbedder,
  type AddedKokoro,
  type AddedModel,
  AddedModels,
  type AddedMoonshine,
  type AddedRecognizer,
  type AddedSpeakerEncoder,
  type AddedStyles,
  type AddedVoice,
  type EmbedderFacts,
  type EmbedderMeasured,
  type EncoderMeasured,
  kokoroIds,
  type Measured,
  type MoonshineFacts,
  type PiperFacts,
  STOCK_EMBEDDERS,
  STOCK_ENCODER,
  STOCK_PARTIALS,
  STOCK_RECOGNIZER,
  voiceIds,
  voiceIdsOf,
  type WhisperFacts,
} from './lock.ts';
export { openModelNetwork } from './network.ts';
export { knowsLanguage, languagesOf, Recognizers } from './recognizers.ts';
export { testEmbedder } from './retrieval-test.ts';
export { decidingRule, planAllows, type ServingRule, withRule } from './rules.ts';
export { testMoonshine, testRecognizer, testVoice } from './self-test.ts';
export { SpeakerEncoders } from './speaker-encoders.ts';
export { ENCODER_TEST_VOICES, testEncoder } from './speaker-test.ts';
export { StyleLinks } from './style-links.ts';
