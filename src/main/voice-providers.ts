import Type, { type Static } from 'typebox';
import type { ComponentHealth } from '../edge/server/index.ts';
import type { Clock } from '../foundation/platform/clock.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import type { Log } from '../foundation/platform/log.ts';
import { UrlGate } from '../foundation/platform/url-gate/index.ts';
import {
  ANY_LANGUAGE,
  DEFAULT_RATE,
  LOCAL_VOICE,
  type ProviderError,
  type SpeechProvider,
  type SpeechProviderOptions,
  SpeechProviders,
  VOICE_ADAPTERS,
  VOICE_KINDS,
} from '../speech/providers/index.ts';
import { providerEntries } from './provider-list.ts';

const Milliseconds = Type.Optional(Type.Integer({ minimum: 50, maximum: 30_000 }));
const VoiceName = Type.String({ minLength: 1, maxLength: 256 });

const VoiceProviderEntry = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
    kind: Type.Enum([...VOICE_KINDS]),
    url: Type.String({ pattern: '^(https?|wss?)://.' }),
    key: Type.Optional(Type.String({ minLength: 1 })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    model: Type.Optional(Type.String({ minLength: 1 })),
    /** This voice speaks every language that `voices` does not name; without it, only those are spoken. */
    voice: Type.Optional(VoiceName),
    voices: Type.Optional(Type.Record(Type.String(), VoiceName)),
    region: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    rate: Type.Optional(Type.Integer({ minimum: 8_000, maximum: 48_000 })),
    first_audio_ms: Milliseconds,
    between_audio_ms: Milliseconds,
    hedge_ms: Milliseconds,
    usd_per_million_characters: Type.Optional(Type.Number({ minimum: 0, maximum: 100_000 })),
    fallback: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type VoiceProviderEntry = Static<typeof VoiceProviderEntry>;

const SETTING = 'TRUNKLINE_VOICE_PROVIDERS';

export const voiceProviderEntries = (config: Pick<Config, 'voiceProviders'>): VoiceProviderEntry[] =>
  providerEntries<VoiceProviderEntry>(
    SETTING,
    config.voiceProviders,
    VoiceProviderEntry,
    ({ name, voice, voices, fallback, hedge_ms: hedgeMs, rate = DEFAULT_RATE }, list) => {
      const problems: string[] = [];
      if (name === LOCAL_VOICE) problems.push(`the name ${name} is reserved for this server’s own voices`);
      if (voice === undefined && voices === undefined) problems.push(`${name} has neither voice nor voices`);
      const next = list.find((other) => other?.name === fallback);
      if (hedgeMs !== undefined && (fallback === undefined || (next?.rate ?? DEFAULT_RATE) !== rate))
        problems.push(`hedge_ms of ${name} needs a fallback of the same rate`);
      return problems;
    },
  );

const MICROS = 1_000_000;

const optionsOf = (entry: VoiceProviderEntry, gate: UrlGate): SpeechProviderOptions => {
  const set = <T>(field: string, value: T | undefined) => (value === undefined ? {} : { [field]: value });
  const { usd_per_million_characters: price = 0 } = entry;
  return {
    gate,
    name: entry.name,
    url: entry.url.replace(/^ws/, 'http'),
    voices: { ...set(ANY_LANGUAGE, entry.voice), ...entry.voices },
    microsPerThousandCharacters: (price * MICROS) / 1000,
    ...set('key', entry.key),
    ...set('headers', entry.headers),
    ...set('model', entry.model),
    ...set('region', entry.region),
    ...set('rate', entry.rate),
    ...set('firstAudioMs', entry.first_audio_ms),
    ...set('betweenAudioMs', entry.between_audio_ms),
    ...set('hedgeMs', entry.hedge_ms),
  };
};

export interface OpenedVoiceProviders {
  readonly providers: SpeechProviders;
  close(): Promise<void>;
}

/**
 * The operator vouches for the hosts of the list, wherever they lead; all other rules of the URL gate apply to them
 * as well.
 */
export function openVoiceProviders(config: Config, clock: Clock, log: Log): OpenedVoiceProviders {
  const entries = voiceProviderEntries(config);
  const hosts = new Set(entries.map(({ url }) => providerHostOf(url)));
  const gate = new UrlGate({ allowLoopback: config.allowLoopbackUrls, privateHosts: hosts, clock });
  const list = entries.map((entry) => ({
    provider: VOICE_ADAPTERS[entry.kind](optionsOf(entry, gate)),
    ...(entry.fallback === undefined ? {} : { fallback: entry.fallback }),
  }));
  const providers = new SpeechProviders({
    clock,
    list,
    onFailure: (provider, error) =>
      log.warn(failureIn(provider, error), 'an external speech service failed; the local voice took over'),
  });
  return { providers, close: () => gate.close() };
}

/** A customer's own host says whatever it likes, which is not repeated in the operator's log. */
export const failureIn = (
  { name, region, ownKey }: Pick<SpeechProvider, 'name' | 'region' | 'ownKey'>,
  { fault, message }: ProviderError,
) =>
  ownKey === undefined
    ? { provider: name, region, fault, reason: message }
    : { key: ownKey.id, org: ownKey.organization, fault };

export function providerHostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url.replace(/^ws/, 'http'));
  return `${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

/** The `doctor` command reports which text leaves this machine for synthesis. */
export function voiceProviderParts(config: Config): ComponentHealth[] {
  const entries = voiceProviderEntries(config);
  if (entries.length === 0)
    return [
      {
        name: 'voices elsewhere',
        ready: true,
        required: false,
        detail: 'none: speech is synthesized on this server',
      },
    ];
  return entries.map(({ name, kind, url, region }) => ({
    name: `external speech service ${name}`,
    ready: true,
    required: false,
    detail: `${kind}${region === undefined ? '' : `, ${region}`}: agents’ text is sent to ${providerHostOf(url)}; the local voice is the fallback`,
  }));
}
