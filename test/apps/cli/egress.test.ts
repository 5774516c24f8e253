// @requirement Egress: The server makes no outgoing connection that is not configured.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { egressDestinations } from '../../../src/apps/cli/egress.ts';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { environmentName, SETTINGS } from '../../../src/foundation/platform/config/settings.ts';

const OWN = new Set(['baseUrl', 'nodePublicUrl']);

const TWILIO = {
  TRUNKLINE_CARRIER: 'twilio',
  TRUNKLINE_TWILIO_ACCOUNT_SID: 'AC1',
  TRUNKLINE_TWILIO_AUTH_TOKEN: 'a token',
};
const SIP = {
  TRUNKLINE_CARRIER: 'sip',
  TRUNKLINE_SIP_LISTEN: 'udp://127.0.0.1:5060',
  TRUNKLINE_SIP_TRUNKS: '[{"name": "a", "host": "sip.example.com"}]',
};
const WITH: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  smtpUrl: { TRUNKLINE_MAIL_FROM: 'noreply@example.com' },
  twilioApiUrl: TWILIO,
  complianceNetworkUrl: {
    TRUNKLINE_COMPLIANCE_NETWORK: 'http',
    TRUNKLINE_COMPLIANCE_NETWORK_SECRET: 'of at least thirty-two characters',
  },
};

const ALSO: Readonly<Record<string, (host: string) => string>> = {
  brains: (host) => JSON.stringify([{ name: 'a', model: 'a', url: `https://user:secret@${host}/path` }]),
  voiceProviders: (host) =>
    JSON.stringify([
      { name: 'default', kind: 'openai', voice: 'a', model: 'a', url: `https://user:secret@${host}/path` },
    ]),
  recognitionProviders: (host) =>
    JSON.stringify([{ name: 'default', kind: 'openai', url: `https://user:secret@${host}/path` }]),
  privateHosts: (host) => host,
  clamd: (host) => `tcp://${host}:3310`,
  webrtcStun: (host) => `stun:${host}:3478`,
};

const addresses = Object.keys(SETTINGS).filter(
  (name) => /(Url|Endpoint|Issuer)$/.test(name) && !OWN.has(name),
);

it('names what every setting leads to, once it is set', () => {
  expect(addresses).toContain('databaseUrl');
  const schemes: Record<string, string> = {
    databaseUrl: 'postgres',
    redisUrl: 'redis',
    smtpUrl: 'smtp',
  };
  for (const name of [...addresses, ...Object.keys(ALSO)]) {
    const host = `${name.toLowerCase()}.example.com`;
    const config = loadConfig({
      TRUNKLINE_S3_BUCKET: 'bucket',
      TRUNKLINE_S3_ACCESS_KEY_ID: 'id',
      TRUNKLINE_S3_SECRET_ACCESS_KEY: 'a key',
      TRUNKLINE_BRAIN_MODEL: 'model',
      ...WITH[name],
      [environmentName(name)]: ALSO[name]?.(host) ?? `${schemes[name] ?? 'https'}://user:secret@${host}/path`,
    });
    const destinations = egressDestinations(config);
    expect(destinations.map(({ place }) => place).join('\n'), name).toContain(host);
    expect(JSON.stringify(destinations), name).not.toContain('secret');
  }
});

it('names only what customers and commands lead to where nothing is set', () => {
  const places = egressDestinations(loadConfig({}));
  expect(places.filter(({ when }) => /TRUNKLINE_\w+ is set/.test(when))).toEqual([]);
  expect(places.map(({ place }) => place)).toContain('the registries of npm, PyPI and Debian');
  expect(
    egressDestinations(loadConfig({ TRUNKLINE_MODELS_FROM: '/packages' })).map(({ place }) => place),
  ).not.toContain('the registries of npm, PyPI and Debian');
});

const SRC = join(import.meta.dirname, '../../../src');

const DIALS =
  /(?:from|import\()\s*'(?:undici|ws|pg|werift[^']*|node-datachannel[^']*|ioredis|openid-client|nodemailer[^']*|node:(?:net|tls|dgram|dns|dns\/promises|http|https|http2)|@aws-sdk\/[^']*|@opentelemetry\/exporter[^']*|@modelcontextprotocol\/[^']*)'|\bnew WebSocket\(/;
const ASKS = /\b(?:gate|#gate)\.fetch\(|(?<![.\w#])fetch\((?!\w+: )/;
const TYPES = /^import type .*$/gm;

/** These only listen, classify addresses, or connect to this process or this machine's own server. */
const INWARD: Readonly<Record<string, string>> = {
  'edge/server/haproxy-agent-check.ts': 'listens for the load balancer',
  'edge/server/server.ts': 'makes the requests that fastify is given',
  'edge/server/listener/outgoing-response.ts': 'names of status codes',
  'edge/server/listener/cork-request.ts': 'keeps one connection to its own listener',
  'foundation/platform/url-gate/policy.ts': 'reads addresses',
  'apps/cli/doctor-running.ts': 'asks the server that runs here, at 127.0.0.1',
  'media/codec/starter.ts': 'speaks to the helper that starts programs',
  'media/codec/starter-process.ts': 'is that helper',
  'telephony/webrtc/worker/main.ts': 'speaks to the server that started it',
  'telephony/webrtc/worker/sdp.ts': 'reads addresses',
  'telephony/webrtc/worker/relay.ts': 'hands packets to the engine of this machine, at 127.0.0.1',
  'telephony/carriers/sip/attended-transfers.ts': 'reads addresses',
  'telephony/carriers/sip/sdp.ts': 'reads addresses',
  'telephony/carriers/sip/sip-listeners.ts': 'reads the certificates that Node trusts',
  'edge/surfaces/mcp/allowed-callers.ts': 'reads the addresses of who calls',
  'telephony/dialling/dial-targets.ts': 'reads addresses',
  'telephony/webrtc/candidates.ts': 'reads addresses',
  'edge/surfaces/mcp/index.ts': 'answers an assistant within this process',
  'apps/testkit/mock-hooks.ts': 'listens as the webhooks of a test that is played by telephone',
  'apps/testkit/scripted-models.ts': 'listens as a model that a test plays',
};

const ELSEWHERE = /^(?:clients|apps\/console)\//;

it('names every file that calls anywhere, and no file that does not', () => {
  const everything = {
    TRUNKLINE_DATABASE_URL: 'postgres://db.example.com/a',
    TRUNKLINE_REDIS_URL: 'redis://redis.example.com',
    TRUNKLINE_S3_BUCKET: 'bucket',
    TRUNKLINE_BRAIN_URL: 'https://brain.example.com',
    TRUNKLINE_BRAIN_MODEL: 'model',
    TRUNKLINE_NODE_URL: 'https://node.example.com',
    TRUNKLINE_VOICE_PROVIDERS:
      '[{"name": "default", "kind": "openai", "model": "a", "voice": "a", "url": "https://voice.example.com/v1"}]',
    TRUNKLINE_RECOGNITION_PROVIDERS:
      '[{"name": "default", "kind": "openai", "url": "https://hear.example.com/v1"}]',
    TRUNKLINE_OIDC_ISSUER: 'https://people.example.com',
    TRUNKLINE_OTLP_URL: 'https://traces.example.com',
    TRUNKLINE_MSGAPP_URL: 'https://graph.example.com',
    TRUNKLINE_SMTP_URL: 'smtp://mail.example.com',
    TRUNKLINE_MAIL_FROM: 'noreply@example.com',
    TRUNKLINE_CLAMD: 'tcp://clamd.example.com:3310',
    TRUNKLINE_COMPLIANCE_NETWORK: 'http',
    TRUNKLINE_COMPLIANCE_NETWORK_URL: 'https://carrier.example.com/v1',
    TRUNKLINE_COMPLIANCE_NETWORK_SECRET: 'of at least thirty-two characters',
  };
  const destinations = new Set(
    [TWILIO, SIP, { TRUNKLINE_CARRIER: 'loopback' }].flatMap((carrier) =>
      egressDestinations(loadConfig({ ...everything, ...carrier })).flatMap(({ by }) => by),
    ),
  );
  const found = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !ELSEWHERE.test(path))
    .filter((path) => {
      const text = readFileSync(join(SRC, path), 'utf8').replace(TYPES, '');
      return DIALS.test(text) || ASKS.test(text);
    });
  expect(found.filter((path) => !(path in INWARD)).sort()).toEqual([...destinations].sort());
});
