export { chooseVoices, nearestTo } from './choose.ts';
export { castSpeakers, type GivenSpeaker } from './speakers.ts';
export { DISTINCT_BELOW, VoiceSimilarity } from './voice-similarity.ts';
export { type CapableVoice, CastVoices, stressesWords } from './voices.ts';
