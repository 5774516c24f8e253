import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import type { ComponentHealth } from '../edge/server/index.ts';
import type { Clock } from '../foundation/platform/clock.ts';
import { type Config, ConfigError } from '../foundation/platform/config/index.ts';
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
import { isHeaderName, isHeaderValue } from './brain-settings.ts';
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

/** Throws ConfigError, which never shows the setting's text, because it contains keys. */
export function recognitionProviderEntries({
  recognitionProviders,
}: Pick<Config, 'recognitionProviders'>): Entry[] {
  if (recognitionProviders === null) return [];
  let list: unknown;
  try {
    list = JSON.parse(recognitionProviders);
  } catch {
    throw new ConfigError([`${SETTING}: it is not JSON`]);
  }
  if (!Array.isArray(list)) throw new ConfigError([`${SETTING}: it is not a list`]);
  const problems = list.flatMap((entry, at) => problemsOf(entry, at, list as { name?: unknown }[]));
  if (problems.length > 0) throw new ConfigError(problems);
  return list as Entry[];
}

function problemsOf(entry: unknown, at: number, list: readonly { name?: unknown }[]): string[] {
  const [error] = Value.Errors(Entry, entry);
  if (error !== undefined) return [`${SETTING}: entry ${at + 1}${error.instancePath} ${error.message}`];
  const { name, url, key = '', headers = {}, fallback } = entry as Entry;
  const problems: string[] = [];
  if (!URL.canParse(url)) problems.push(`${SETTING}: the url of ${name} is not a URL`);
  if (list.findIndex((other) => other?.name === name) !== at)
    problems.push(`${SETTING}: ${name} is listed twice`);
  if (!Object.keys(headers).every(isHeaderName))
    problems.push(`${SETTING}: a header of ${name} does not have a valid header name`);
  if (![key, ...Object.values(headers)].every(isHeaderValue))
    problems.push(`${SETTING}: ${name}: a header value has a character that is not allowed`);
  if (fallback !== undefined && (fallback === name || !list.some((other) => other?.name === fallback)))
    problems.push(`${SETTING}: the fallback of ${name} must be another entry of the list`);
  return problems;
}

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
