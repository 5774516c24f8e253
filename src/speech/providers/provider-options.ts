import type { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import type { ProviderCredential, SpeechProvider } from './contract.ts';

export interface SpeechProviderOptions {
  readonly gate: Pick<UrlGate, 'fetch' | 'webSocket'>;
  readonly name: string;
  readonly id?: string;
  readonly credential?: ProviderCredential;
  readonly url: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
  /** Maps a language to the provider's name of the voice; `*` covers all other languages. */
  readonly voices: Readonly<Record<string, string>>;
  readonly region?: string;
  readonly rate?: number;
  readonly firstAudioMs?: number;
  readonly betweenAudioMs?: number;
  readonly hedgeMs?: number;
  readonly microsPerThousandCharacters?: number;
}

/** Samples a second where an entry names no rate. */
export const DEFAULT_RATE = 24_000;
const FIRST_AUDIO_MS = 1_000;
const BETWEEN_AUDIO_MS = 500;

export const ANY_LANGUAGE = '*';

export const voiceFor = ({ voices }: SpeechProviderOptions, language: string): string | undefined =>
  Object.hasOwn(voices, language) ? voices[language] : voices[ANY_LANGUAGE];

export const describeProvider = (options: SpeechProviderOptions): Omit<SpeechProvider, 'speak'> => ({
  name: options.name,
  id: options.id ?? options.name,
  credential: options.credential ?? 'operator',
  host: new URL(options.url).host,
  region: options.region ?? null,
  rate: options.rate ?? DEFAULT_RATE,
  firstAudioMs: options.firstAudioMs ?? FIRST_AUDIO_MS,
  betweenAudioMs: options.betweenAudioMs ?? BETWEEN_AUDIO_MS,
  ...(options.hedgeMs === undefined ? {} : { hedgeMs: options.hedgeMs }),
  microsPerThousandCharacters: options.microsPerThousandCharacters ?? 0,
  serves: (language) => voiceFor(options, language) !== undefined,
});
