import Type, { type Static } from 'typebox';
import type { ComponentHealth } from '../edge/server/index.ts';
import type { Clock } from '../foundation/platform/clock.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import type { Log } from '../foundation/platform/log.ts';
import { UrlGate } from '../foundation/platform/url-gate/index.ts';
import { HEAR_LANGUAGES } from '../media/engine/index.ts';
import {
  MAX_FINAL_MS,
  RECOGNITION_ADAPTERS,
  RECOGNITION_KINDS,
  type RecognitionProviderOptions,
  RecognitionProviders,
} from '../speech/providers/index.ts';
import { providerEntries } from './provider-list.ts';
import { failureIn, providerHostOf } from './voice-providers.ts';

const Entry = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
    kind: Type.Enum([...RECOGNITION_KINDS]),
    url: Type.String({ pattern: '^(https?|wss?)://.' }),
    key: Type.Optional(Type.String({ minLength: 1 })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    model: Type.Optional(Type.String({ minLength: 1 })),
    languages: Type.Optional(Type.Array(Type.Enum([...HEAR_LANGUAGES]), { minItems: 1 })),
    region: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    final_ms: Type.Optional(Type.Integer({ minimum: 50, maximum: MAX_FINAL_MS })),
    usd_per_hour: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000 })),
    fallback: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
type Entry = Static<typeof Entry>;

const SETTING = 'TRUNKLINE_RECOGNITION_PROVIDERS';
const MICROS = 1_000_000;

export const recognitionProviderEntries = (config: Pick<Config, 'recognitionProviders'>): Entry[] =>
  providerEntries<Entry>(SETTING, config.recognitionProviders, Entry);

const optionsOf = (entry: Entry, gate: UrlGate): RecognitionProviderOptions => {
  const set = <T>(field: string, value: T | undefined) => (value === undefined ? {} : { [field]: value });
  return {
    gate,
    name: entry.name,
    url: entry.url.replace(/^ws/, 'http'),
    microsPerHour: (entry.usd_per_hour ?? 0) * MICROS,
    ...set('key', entry.key),
    ...set('headers', entry.headers),
    ...set('model', entry.model),
    ...set('languages', entry.languages),
    ...set('region', entry.region),
    ...set('finalMs', entry.final_ms),
  };
};

export interface OpenedRecognitionProviders {
  readonly providers: RecognitionProviders;
  close(): Promise<void>;
}

/** The operator vouches for the hosts of the list, as for those of the voices elsewhere. */
export function openRecognitionProviders(config: Config, clock: Clock, log: Log): OpenedRecognitionProviders {
  const entries = recognitionProviderEntries(config);
  const hosts = new Set(entries.map(({ url }) => providerHostOf(url)));
  const gate = new UrlGate({ allowLoopback: config.allowLoopbackUrls, privateHosts: hosts, clock });
  const list = entries.map((entry) => ({
    provider: RECOGNITION_ADAPTERS[entry.kind](optionsOf(entry, gate)),
    ...(entry.fallback === undefined ? {} : { fallback: entry.fallback }),
  }));
  const providers = new RecognitionProviders({
    clock,
    list,
    onFailure: (provider, error) =>
      log.warn(failureIn(provider, error), 'an external recognizer failed; the local transcript is used'),
  });
  return { providers, close: () => gate.close() };
}

/** The `doctor` command reports which speech leaves this machine to be recognized. */
export function recognitionProviderParts(config: Config): ComponentHealth[] {
  const entries = recognitionProviderEntries(config);
  if (entries.length === 0)
    return [
      {
        name: 'recognizers elsewhere',
        ready: true,
        required: false,
        detail: 'none: speech is recognized on this server',
      },
    ];
  return entries.map(({ name, kind, url, region }) => ({
    name: `external recognizer ${name}`,
    ready: true,
    required: false,
    detail: `${kind}${region === undefined ? '' : `, ${region}`}: caller audio is sent to ${providerHostOf(url)}; the local recognizer is the fallback`,
  }));
}
