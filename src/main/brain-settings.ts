import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { type Config, ConfigError } from '../foundation/platform/config/index.ts';

const Milliseconds = Type.Optional(Type.Integer({ minimum: 100, maximum: 300_000 }));

const AudioDeadline = Type.Optional(Type.Integer({ minimum: 50, maximum: 30_000 }));

const BrainEntry = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
    /** `realtime` hears the caller; `chat` reads what recognition wrote. */
    kind: Type.Optional(Type.Enum(['chat', 'realtime'])),
    url: Type.String({ pattern: '^https?://.' }),
    model: Type.String({ minLength: 1 }),
    key: Type.Optional(Type.String({ minLength: 1 })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    connect_ms: Milliseconds,
    first_token_ms: Milliseconds,
    between_tokens_ms: Milliseconds,
    whole_ms: Milliseconds,
    max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    reasoning_effort: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    fallback: Type.Optional(Type.String()),
    usd_per_hour: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000 })),
    /** The model's own voice, by the model's name of it. Without one, the agent's voice speaks the model's text. */
    voice: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    first_audio_ms: AudioDeadline,
    between_audio_ms: AudioDeadline,
    usd_per_spoken_hour: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000 })),
  },
  { additionalProperties: false },
);
export type BrainEntry = Static<typeof BrainEntry>;

const SETTING = 'TRUNKLINE_BRAINS';

/** Throws ConfigError, which never shows the setting's text, because it contains keys. */
export function brainEntries({ brains }: Pick<Config, 'brains'>): BrainEntry[] {
  if (brains === null) return [];
  let list: unknown;
  try {
    list = JSON.parse(brains);
  } catch {
    throw new ConfigError([`${SETTING}: it is not JSON`]);
  }
  if (!Array.isArray(list)) throw new ConfigError([`${SETTING}: it is not a list`]);
  const problems = list.flatMap((entry, at) => problemsOf(entry, at, list as { name?: unknown }[]));
  if (problems.length > 0) throw new ConfigError(problems);
  return list as BrainEntry[];
}

const Headers = Type.Record(Type.String(), Type.String());
const HEADERS = 'TRUNKLINE_BRAIN_HEADERS';

/**
 * Parses the headers that the default language model needs beside its key. Throws ConfigError, whose text never shows
 * the header's value.
 */
export function brainHeaders({ brainHeaders }: Pick<Config, 'brainHeaders'>): Record<string, string> {
  if (brainHeaders === null) return {};
  const problem = (what: string) => new ConfigError([`${HEADERS}: ${what}`]);
  let said: unknown;
  try {
    said = JSON.parse(brainHeaders);
  } catch {
    throw problem('it is not JSON');
  }
  if (!Value.Check(Headers, said)) throw problem('it is not an object of strings');
  if (!Object.keys(said).every((name) => NAME.test(name))) throw problem('a name is not a valid header name');
  if (!Object.values(said).every((value) => VALUE.test(value))) throw problem(UNSENDABLE);
  return said;
}

const NAME = /^[A-Za-z0-9-]+$/;
export const isHeaderName = (name: string): boolean => NAME.test(name);
/** A value outside these bytes could not be sent, and each request's error would write it to the log. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
export const isHeaderValue = (value: string): boolean => VALUE.test(value);
const UNSENDABLE = 'a value has a character that is not allowed in headers';

export const brainNames = (config: Pick<Config, 'brains'>): string[] =>
  brainEntries(config).map(({ name }) => name);

const CHAT_ONLY = ['temperature', 'reasoning_effort', 'connect_ms'] as const;
const VOICE_ONLY = ['first_audio_ms', 'between_audio_ms', 'usd_per_spoken_hour'] as const;
const REALTIME_ONLY = ['usd_per_hour', 'voice', ...VOICE_ONLY] as const;

function problemsOf(entry: unknown, at: number, list: readonly { name?: unknown }[]): string[] {
  const [error] = Value.Errors(BrainEntry, entry);
  if (error !== undefined) return [`${SETTING}: entry ${at + 1}${error.instancePath} ${error.message}`];
  const { name, url, fallback } = entry as BrainEntry;
  const problems: string[] = [];
  if (!URL.canParse(url)) problems.push(`${SETTING}: the url of ${name} is not a URL`);
  if (list.findIndex((other) => other?.name === name) !== at)
    problems.push(`${SETTING}: ${name} is listed twice`);
  const other = (entry as BrainEntry).kind === 'realtime' ? CHAT_ONLY : REALTIME_ONLY;
  const unfit = other.find((field) => (entry as BrainEntry)[field] !== undefined);
  if (unfit !== undefined) problems.push(`${SETTING}: ${name}: a brain of this kind has no ${unfit}`);
  const { headers = {}, key = '', voice } = entry as BrainEntry;
  const unheard = VOICE_ONLY.find((field) => (entry as BrainEntry)[field] !== undefined);
  if (unfit === undefined && voice === undefined && unheard !== undefined)
    problems.push(`${SETTING}: ${name}: ${unheard} needs voice, the model’s own voice`);
  if (!Object.keys(headers).every((header) => NAME.test(header)))
    problems.push(`${SETTING}: a header of ${name} does not have a valid header name`);
  if (![key, ...Object.values(headers)].every((value) => VALUE.test(value)))
    problems.push(`${SETTING}: ${name}: ${UNSENDABLE}`);
  if (fallback !== undefined && (fallback === name || !list.some((other) => other?.name === fallback)))
    problems.push(`${SETTING}: the fallback of ${name} must be another entry of the list`);
  return problems;
}
