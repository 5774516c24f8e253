import type { SpeechProvider } from './contract.ts';
import type { RecognitionProvider } from './recognition.ts';

/** The providers that a customer's own keys open for a call. */
export interface OwnProviders {
  readonly voices: readonly SpeechProvider[];
  readonly recognition: readonly RecognitionProvider[];
}

export const NO_OWN_PROVIDERS: OwnProviders = { voices: [], recognition: [] };
