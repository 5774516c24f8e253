export { megabytes, type Network, type Offer } from './acquire.ts';
export { addModel, titleOf } from './add.ts';
export { AddedModelError } from './errors.ts';
export { hubOf } from './hub.ts';
export { type AddedModel, AddedModels, type Measured, type PiperFacts, voiceIds } from './lock.ts';
export { testVoice } from './self-test.ts';
