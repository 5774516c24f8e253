export { createTrunkline, type TrunklineProvider, type TrunklineProviderSettings } from './provider.js';
export type { TrunklineSpeechOptions } from './speech.js';
export type { TrunklineTranscriptionOptions } from './transcription.js';
