/** Voices that another company's server speaks: what a call asks of them, whoever answers. */

export type ProviderFault =
  /** No connection, or a status of 500 and above. */
  | 'unreachable'
  /** The first sound, or the next, came too late. */
  | 'timeout'
  | 'overloaded'
  /** The request was refused: the key, the voice or the model. */
  | 'refused'
  /** The answer is no speech of this text. */
  | 'garbage'
  /** The answer ended before the text. */
  | 'incomplete';

/** A message repeats what a host said, which has any length. */
const MAX_MESSAGE_CHARACTERS = 500;

/** Why a provider gave no (more) sound. The message is for the operator's log. */
export class ProviderError extends Error {
  readonly fault: ProviderFault;

  constructor(fault: ProviderFault, message: string, options?: ErrorOptions) {
    super(message.slice(0, MAX_MESSAGE_CHARACTERS), options);
    this.name = 'ProviderError';
    this.fault = fault;
  }
}

export interface ProviderSound {
  /** PCM16 at the provider's rate; any split, whole samples. */
  readonly pcm: Uint8Array;
  /** Counts the characters spoken by the end of this sound; absent where the provider does not tell. */
  readonly characters?: number;
}

/** The owner of the key that a provider is asked with. */
export type ProviderCredential = 'operator' | 'customer';

/** Names a customer's key in the operator's log. */
export interface OwnKeyRef {
  readonly id: string;
  readonly organization: string;
}

export interface SpeechProvider {
  /** The name of the operator's list, or of the customer's own. */
  readonly name: string;
  /** Identifies its circuit and its pace; the name where absent. */
  readonly id?: string;
  /** `operator` where absent. */
  readonly credential?: ProviderCredential;
  /** It is absent where the credential is the operator's. */
  readonly ownKey?: OwnKeyRef;
  /** The host that gets the text. */
  readonly host: string;
  readonly region: string | null;
  /** Samples a second. */
  readonly rate: number;
  /** The longest wait for the first sound of a text. */
  readonly firstAudioMs: number;
  /** The longest wait for the next sound when none is left to play. */
  readonly betweenAudioMs: number;
  readonly microsPerThousandCharacters: number;
  /** The next provider is asked too where this one has sent no sound of a speech's first text for this long. */
  readonly hedgeMs?: number;
  /** It throws where its audio ends before the text, so that no estimate decides about the end. */
  readonly knowsItsEnd?: boolean;
  serves(language: string): boolean;
  /** Streams the sound of the text. Aborting the signal ends the iteration without an error. Throws ProviderError; nothing else. */
  speak(text: string, language: string, signal: AbortSignal): AsyncIterable<ProviderSound>;
}

/** The requests of one call to one provider. */
export interface ProviderUse {
  readonly kind: 'speech' | 'recognition' | 'brain';
  readonly provider: string;
  readonly credential: ProviderCredential;
  readonly region: string | null;
  /** The host that got the texts or the caller's voice. */
  readonly host: string;
  requests: number;
  /** Characters that were sent to be spoken, or came back recognized or as an answer. */
  characters: number;
  /** Sound that came back, or was sent to be recognized or answered. */
  soundMs: number;
  /** Requests that the local engine, or the next provider, took over. */
  failures: number;
  /** Counted from the start of the call, or from where it was resumed. */
  failedOverAtMs?: number;
  costMicros: number;
}
