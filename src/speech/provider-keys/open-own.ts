import type { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import {
  ANY_LANGUAGE,
  type OwnKeyRef,
  RECOGNITION_ADAPTERS,
  type RecognitionProvider,
  type RecognitionProviderKind,
  type SpeechProvider,
  VOICE_ADAPTERS,
  type VoiceProviderKind,
} from '../providers/index.ts';

/** A customer states these beside the key. */
export interface ProviderKeySettings {
  readonly url: string;
  readonly model?: string;
  readonly voice?: string;
  readonly voices?: Readonly<Record<string, string>>;
  readonly rate?: number;
  readonly languages?: readonly string[];
}

export interface OwnProviderOptions {
  readonly id: string;
  readonly ownKey: OwnKeyRef;
  readonly name: string;
  readonly kind: string;
  readonly key: string;
  readonly settings: ProviderKeySettings;
  readonly gate: Pick<UrlGate, 'fetch' | 'webSocket'>;
  /** Returns false once the key was replaced or deleted. */
  readonly isCurrent: () => boolean;
}

const common = ({ id, name, key, settings: { url, model }, gate }: OwnProviderOptions) => ({
  id,
  name,
  key,
  url,
  gate,
  credential: 'customer' as const,
  ...(model === undefined ? {} : { model }),
});

const whileCurrent = <T extends { serves(language: string): boolean }>(
  provider: T,
  { ownKey, isCurrent }: OwnProviderOptions,
): T => ({ ...provider, ownKey, serves: (language: string) => isCurrent() && provider.serves(language) });

export function openOwnVoice(options: OwnProviderOptions): SpeechProvider {
  const { voice, voices, rate } = options.settings;
  const provider = VOICE_ADAPTERS[options.kind as VoiceProviderKind]({
    ...common(options),
    voices: { ...(voice === undefined ? {} : { [ANY_LANGUAGE]: voice }), ...voices },
    ...(rate === undefined ? {} : { rate }),
  });
  return whileCurrent(provider, options);
}

export function openOwnRecognition(options: OwnProviderOptions): RecognitionProvider {
  const { languages } = options.settings;
  const provider = RECOGNITION_ADAPTERS[options.kind as RecognitionProviderKind]({
    ...common(options),
    ...(languages === undefined ? {} : { languages }),
  });
  return whileCurrent(provider, options);
}
