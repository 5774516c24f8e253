export type ProviderFault = 'unreachable' | 'timeout' | 'overloaded' | 'refused' | 'garbage' | 'incomplete';

export class ProviderError extends Error {
  readonly fault: ProviderFault;

  constructor(fault: ProviderFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ProviderError';
    this.fault = fault;
  }
}

export interface ProviderSound {
  /** The samples are PCM16 at the provider's rate and complete, in pieces of any size. */
  readonly pcm: Uint8Array;
  /** Counts the characters of the text that are spoken at the end of this audio, where the provider reports it. */
  readonly characters?: number;
}

export interface SpeechProvider {
  readonly name: string;
  readonly host: string;
  readonly region: string | null;
  readonly rate: number;
  /** The deadline for the first audio of a text. */
  readonly firstAudioMs: number;
  /** The deadline for the next audio once none is left to play. */
  readonly betweenAudioMs: number;
  readonly microsPerThousandCharacters: number;
  serves(language: string): boolean;
  /** Streams the speech of the text. An abort ends the iteration without an error. It throws only ProviderError. */
  speak(text: string, language: string, signal: AbortSignal): AsyncIterable<ProviderSound>;
}

export interface ProviderUse {
  readonly kind: 'speech';
  readonly provider: string;
  readonly region: string | null;
  readonly host: string;
  requests: number;
  characters: number;
  soundMs: number;
  failures: number;
  costMicros: number;
}
