/** Recognition on another company's server: what a call asks of it, whoever answers. */
import type { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import type { OwnKeyRef, ProviderCredential } from './contract.ts';

/** One utterance of a caller. The calls of a stream fail with ProviderError; nothing else. */
export interface RecognitionStream {
  /** PCM16 at the call's rate. */
  push(pcm: Uint8Array): void;
  /** Resolves with the text of all that was pushed. A later call includes what was pushed since. */
  text(): Promise<string>;
  close(): void;
}

export interface RecognitionRequest {
  /** Samples a second. */
  readonly rate: number;
  readonly language: string;
  readonly vocabulary: readonly string[];
}

export interface RecognitionProvider {
  /** The name of the operator's list, or of the customer's own. */
  readonly name: string;
  /** Identifies its circuit; the name where absent. */
  readonly id?: string;
  /** `operator` where absent. */
  readonly credential?: ProviderCredential;
  /** It is absent where the credential is the operator's. */
  readonly ownKey?: OwnKeyRef;
  /** The host that gets the caller's voice. */
  readonly host: string;
  readonly region: string | null;
  /** The text may come this long after the end of the utterance; then the local text serves. */
  readonly finalMs: number;
  readonly microsPerHour: number;
  serves(language: string): boolean;
  /** Throws ProviderError where no request can be made; nothing else. */
  listen(request: RecognitionRequest): RecognitionStream;
}

export interface RecognitionProviderOptions {
  readonly gate: Pick<UrlGate, 'fetch' | 'webSocket'>;
  readonly name: string;
  readonly id?: string;
  readonly credential?: ProviderCredential;
  readonly url: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
  /** All languages of recognition when absent. */
  readonly languages?: readonly string[];
  readonly region?: string;
  readonly finalMs?: number;
  readonly microsPerHour?: number;
}

/** The local text serves after at most this time. */
export const MAX_FINAL_MS = 400;

export const describeRecognition = (
  options: RecognitionProviderOptions,
): Omit<RecognitionProvider, 'listen'> => ({
  name: options.name,
  id: options.id ?? options.name,
  credential: options.credential ?? 'operator',
  host: new URL(options.url).host,
  region: options.region ?? null,
  finalMs: Math.min(options.finalMs ?? MAX_FINAL_MS, MAX_FINAL_MS),
  microsPerHour: options.microsPerHour ?? 0,
  serves: (language) => options.languages?.includes(language) ?? true,
});
