/** Lists every destination outside this process that the server may call. It calls no other. */
import type { Config } from '../../foundation/platform/config/index.ts';

export interface EgressDestination {
  readonly place: string;
  readonly why: string;
  readonly when: string;
  /** The files of src/ that make these calls; a test checks that no other file makes any. */
  readonly by: readonly string[];
}

const BUCKET = ['foundation/storage/blobs/s3.ts'];
const DATABASE = ['foundation/storage/postgres.ts'];
const CHAT = ['conversation/brains/endpoint/chat-endpoint.ts'];

const hostOf = (url: string): string => {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
};

function configured(
  url: string | null,
  why: string,
  setting: string,
  by: readonly string[],
): EgressDestination[] {
  return url === null ? [] : [{ place: hostOf(url), why, when: `${setting} is set`, by }];
}

function bucket(config: Config): EgressDestination[] {
  if (config.s3Bucket === null) return [];
  const place = config.s3Endpoint ? hostOf(config.s3Endpoint) : `the S3 service of ${config.s3Region}`;
  const why = `stores recordings and uploads in the bucket ${config.s3Bucket}`;
  const keys = config.s3AccessKeyId
    ? []
    : [
        {
          place: 'the metadata service of the machine',
          why: 'gives credentials for the bucket',
          when: 'TRUNKLINE_S3_BUCKET is set without an access key',
          by: BUCKET,
        },
      ];
  return [{ place, why, when: 'TRUNKLINE_S3_BUCKET is set', by: BUCKET }, ...keys];
}

/** Reads a setting that is a JSON list of entries with a `url`. */
function listed(
  entries: string | null,
  why: string,
  setting: string,
  by: readonly string[],
): EgressDestination[] {
  if (entries === null) return [];
  return (JSON.parse(entries) as { readonly url: string }[]).map(({ url }) => ({
    place: hostOf(url),
    why,
    when: `${setting} names it`,
    by,
  }));
}

/**
 * The URL gate checks each of these requests to customers' addresses: public ones over https only, with the address
 * pinned for the connection.
 */
const OF_CUSTOMERS: readonly (readonly [by: string, why: string, when: string])[] = [
  ['speech/transcription/run/audio.ts', 'fetches the audio of a job', 'a job is submitted with audio_url'],
  [
    'edge/surfaces/compat/deepgram/recording-bytes.ts',
    'fetches a recording',
    'a request of a Deepgram client names a url',
  ],
  ['telephony/messages/media.ts', 'checks whether a message can carry it', 'a message is sent with media'],
  [
    'foundation/webhooks/send-request.ts',
    'delivers signed events',
    'a webhook or a destination is registered',
  ],
  [
    'conversation/calls/knowledge-endpoint.ts',
    'requests knowledge from a customer',
    'a call is configured with kb_endpoint',
  ],
  ['conversation/agents/tools/webhook-tool.ts', 'calls a tool', 'an agent has a webhook tool'],
  ['conversation/agents/tools/mcp-server.ts', 'calls a tool', 'an agent has an MCP tool'],
  [
    'conversation/agents/tools/mcp-transport.ts',
    'transports the messages of an MCP tool',
    'an agent has an MCP tool',
  ],
  [
    'conversation/knowledge/fetching/site-reader.ts',
    'reads pages and their robots.txt',
    'a document is added by url, or a site is crawled',
  ],
  ['telephony/dialling/route-url.ts', 'asks for the route of a call', 'a number is routed to a url'],
];

/** Unlike the calls above, these carry what is said in calls, so they are listed only where the operator allows them. */
function ownProviders({ ownProviderKeys: kinds }: Config): EgressDestination[] {
  if (kinds.length === 0) return [];
  const rows = [
    ['speech/providers/openai-speech.ts', 'synthesizes speech in a call: it receives what the agent says'],
    [
      'speech/providers/openai-recognition.ts',
      'recognizes speech in a call: it receives what the caller says',
    ],
  ] as const;
  return rows.map(([by, why]) => ({
    place: 'public addresses that a customer names, and the name servers of the machine',
    why,
    when: `TRUNKLINE_OWN_PROVIDER_KEYS allows ${kinds.join(', ')}, and a customer has stored a key`,
    by: [by, ...GATE],
  }));
}

function carrier({ carrier, twilioApiUrl, sipTrunks }: Config): EgressDestination[] {
  if (carrier === 'loopback') {
    const why = 'is called by the trial numbers of the loopback carrier';
    const when = 'TRUNKLINE_CARRIER is loopback';
    return [{ place: 'this server itself', why, when, by: ['telephony/carriers/loopback/far-stream.ts'] }];
  }
  if (carrier === 'sip') {
    const why = 'carries telephone calls: their signalling and their audio';
    const when = 'TRUNKLINE_CARRIER is sip';
    const trunks = JSON.parse(sipTrunks ?? '[]') as readonly { host: string }[];
    return trunks.map(({ host }) => ({ place: host, why, when, by: ['telephony/carriers/sip/trunks.ts'] }));
  }
  if (carrier !== 'twilio') return [];
  const why = 'starts, changes and ends telephone calls';
  const when = 'TRUNKLINE_CARRIER is twilio';
  return [{ place: hostOf(twilioApiUrl), why, when, by: ['telephony/carriers/twilio/rest.ts'] }];
}

function clamd(config: Config): EgressDestination[] {
  if (config.clamd === null) return [];
  const why = 'scans the documents of compliance cases for malware';
  return [
    {
      place: config.clamd,
      why,
      when: 'TRUNKLINE_CLAMD is set',
      by: ['telephony/compliance/scanning/clamd.ts'],
    },
  ];
}

function network({ complianceNetwork, complianceNetworkUrl: url }: Config): EgressDestination[] {
  if (complianceNetwork !== 'http' || url === null) return [];
  const why = 'reviews compliance cases: it receives their documents and the data that was read from them';
  const by = ['telephony/compliance/carrier-submission/http/carrier-client.ts'];
  return [{ place: hostOf(url), why, when: 'TRUNKLINE_COMPLIANCE_NETWORK is http', by }];
}

const PEERS = ['telephony/webrtc/worker/library.ts'];

function webrtc({ webrtcCalls, webrtcStun }: Config): EgressDestination[] {
  if (webrtcCalls === 0) return [];
  const stun = webrtcStun.map((place) => ({
    place,
    why: 'reports the public address of this machine',
    when: 'TRUNKLINE_WEBRTC_STUN names it',
    by: PEERS,
  }));
  const why = 'carries the audio of WebRTC calls, and nothing else';
  const when = 'a caller starts a WebRTC call, and TRUNKLINE_WEBRTC_CALLS is not 0';
  return [{ place: 'addresses that a WebRTC caller offers', why, when, by: PEERS }, ...stun];
}

const GATE = [
  'foundation/platform/url-gate/gate.ts',
  'foundation/platform/url-gate/connect.ts',
  'foundation/platform/url-gate/gate-socket.ts',
  'foundation/platform/url-gate/resolve.ts',
];

function ofCustomers(config: Config): EgressDestination[] {
  const own = [
    ...(config.allowLoopbackUrls ? ['this machine'] : []),
    ...(config.privateHosts.length > 0 ? [config.privateHosts.join(', ')] : []),
  ];
  const place = ['public addresses', ...own].join(', and ');
  return OF_CUSTOMERS.map(([by, why, when]) => ({
    place: `${place} that a customer names, and the name servers of the machine`,
    why,
    when,
    by: [by, ...GATE],
  }));
}

/** Only commands make these calls, never a running server. */
const TRIALS: EgressDestination = {
  place:
    'the server that a command names (by default, one that it starts on this machine), and the model of its caller',
  why: 'makes test calls to it',
  when: 'npx trunkline test, npx trunkline measure',
  by: [
    'apps/caller/transports/socket.ts',
    'apps/cli/server-under-test.ts',
    'apps/testkit/server-api.ts',
    'apps/testkit/persona.ts',
  ],
};

/** Only the command makes these calls, never a running server. */
const ADDED_MODELS: EgressDestination = {
  place: 'the address or the hub (HF_ENDPOINT) that the command names',
  why: 'fetches a model',
  when: 'npx trunkline models add',
  by: ['speech/added-models/hub.ts', 'speech/added-models/download.ts', ...GATE],
};

function setUp(config: Config): EgressDestination[] {
  if (config.modelsFrom !== null) return [];
  return [
    {
      place: 'the registries of npm, PyPI and Debian',
      why: 'provide packages and model files; a running server never calls them',
      when: 'npm start until setup is complete, npx trunkline models fetch, npx trunkline brain install',
      by: [],
    },
  ];
}

export function egressDestinations(config: Config): EgressDestination[] {
  return [
    ...configured(config.databaseUrl, 'stores all data except files', 'TRUNKLINE_DATABASE_URL', DATABASE),
    ...configured(config.redisUrl, 'counts requests and sessions of all nodes', 'TRUNKLINE_REDIS_URL', [
      'foundation/access/shared-redis.ts',
    ]),
    ...bucket(config),
    ...configured(
      config.brainUrl,
      'answers in calls: it receives what callers say',
      'TRUNKLINE_BRAIN_URL',
      CHAT,
    ),
    ...listed(
      config.brains,
      'answers in calls of agents that name it: it receives what callers say',
      'TRUNKLINE_BRAINS',
      [...CHAT, ...GATE],
    ),
    ...listed(
      config.voiceProviders,
      'synthesizes speech in calls: it receives what agents say',
      'TRUNKLINE_VOICE_PROVIDERS',
      ['speech/providers/openai-speech.ts', ...GATE],
    ),
    ...listed(
      config.recognitionProviders,
      'recognizes speech in calls: it receives what callers say',
      'TRUNKLINE_RECOGNITION_PROVIDERS',
      ['speech/providers/openai-recognition.ts', ...GATE],
    ),
    ...configured(
      config.nodeUrl,
      'is the address of this node; it reaches the other nodes at theirs, to connect supervisors to the node that has a call',
      'TRUNKLINE_NODE_URL',
      ['edge/server/socket-relay.ts'],
    ),
    ...configured(config.oidcIssuer, 'signs people in with OpenID Connect', 'TRUNKLINE_OIDC_ISSUER', [
      'foundation/access/oidc-sign-in.ts',
    ]),
    ...configured(config.msgappUrl, 'answers and places calls by messaging apps', 'TRUNKLINE_MSGAPP_URL', [
      'telephony/msgapp/provider.ts',
    ]),
    ...configured(config.otlpUrl, 'receives traces: times and routes, no words', 'TRUNKLINE_OTLP_URL', [
      'foundation/platform/tracing.ts',
    ]),
    ...configured(config.smtpUrl, 'sends email: invitations, notices and events', 'TRUNKLINE_SMTP_URL', [
      'foundation/mail/smtp.ts',
    ]),
    ...ofCustomers(config),
    ...ownProviders(config),
    ...carrier(config),
    ...clamd(config),
    ...network(config),
    ...webrtc(config),
    TRIALS,
    ADDED_MODELS,
    ...setUp(config),
  ];
}
