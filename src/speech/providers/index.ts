export * from './adapters.ts';
export { ProviderCircuitBreaker } from './circuit-breaker.ts';
export * from './contract.ts';
export { toProviderError } from './faults.ts';
export { type HedgedSpeech, hedgedSpeech } from './hedged-speech.ts';
export { NO_OWN_PROVIDERS, type OwnProviders } from './own-providers.ts';
export { ANY_LANGUAGE, DEFAULT_RATE, type SpeechProviderOptions } from './provider-options.ts';
export { ProviderUses } from './provider-uses.ts';
export { leadingSilenceBytes, RawSound, trailingSilence } from './raw-sound.ts';
export {
  MAX_FINAL_MS,
  type RecognitionProvider,
  type RecognitionProviderOptions,
  type RecognitionRequest,
  type RecognitionStream,
} from './recognition.ts';
export { RecognitionProviders } from './recognition-providers.ts';
export { resumePoint, SpeakingPace, spokenIn } from './resume-point.ts';
export { LOCAL_VOICE, SpeechProviders } from './speech-providers.ts';
