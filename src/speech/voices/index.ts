export { addedVoices, voiceOfModel } from './added.ts';
export {
  type CallVoice,
  type CallVoices,
  callVoices,
  noVoiceOfCalls,
  type ResolveVoice,
  refusedUnderLoad,
} from './call-voices.ts';
export {
  type CloneVoiceItem,
  cloneItem,
  isSpoken,
  type ServedVoice,
  stockVoice,
  VoiceCatalogue,
  type VoiceItem,
} from './catalogue.ts';
export { designVoices } from './design.ts';
export { understandingOf } from './design-understanding.ts';
export { estimatedMs } from './estimate.ts';
export { type Fitted, StyleFitter, type VoiceFitter } from './fitter.ts';
export { learnDefaults } from './learn.ts';
export { mannerOf, mergeManners } from './manners.ts';
export {
  checkPronunciations,
  PRONUNCIATION_LIMITS,
  type ProjectPronunciation,
  type Pronunciation,
  PronunciationDictionary,
  pronunciationsIn,
} from './pronunciations.ts';
export {
  evictSpeechCache,
  speechCacheErasure,
  speechCacheEviction,
  speechCacheOwner,
} from './speech-cache.ts';
export {
  type AddedVoiceSource,
  EMOTIONS,
  type Emotion,
  PRODUCTS,
  type Product,
  StockVoices,
  type Tier,
  type Voice,
} from './stock.ts';
export { type Candidate, type Design, type OwnVoice, VoiceStore } from './store.ts';
