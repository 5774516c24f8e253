import type { ClientVendor, RequestCredentials } from '../../../foundation/access/contract.ts';
import type { SocketRequest } from '../surface.ts';
import type { RequestHead } from './request-head.ts';

const SUBPROTOCOL = 'svc.v1';

const KEY_PREFIX = 'svc-key.';

/** Deepgram's clients send the scheme `Token` in the place of `Bearer`. */
const asBearer = (authorization: string | undefined): string | undefined =>
  authorization?.replace(/^Token /i, 'Bearer ');

function protocolsAt(head: RequestHead, vendor: ClientVendor | undefined): string[] {
  const said = protocolsOf(head.headers['sec-websocket-protocol']);
  return vendor === undefined ? said : [...said, ...vendorProtocols(said, vendor)];
}

export const protocolsOf = (header: string | undefined): string[] =>
  (header ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Returns the subprotocol that the response names. The key, which is a subprotocol too, is never reflected. */
export function subprotocolAnswer(header: string | undefined, vendor?: ClientVendor): string {
  const offered = protocolsOf(header);
  if (offered.includes(SUBPROTOCOL)) return SUBPROTOCOL;
  if (vendor === 'openai') return offered.includes(REALTIME) ? REALTIME : '';
  if (vendor === 'elevenlabs') return offered.includes(CONVERSATION) ? CONVERSATION : '';
  return vendor === 'deepgram' && vendorProtocols(offered, vendor).length > 0 ? (offered[0] ?? '') : '';
}

const withoutEphemeral = (key: string): string => key.replace(/^ek_/, '');

const CONVERSATION = 'convai';
const BEARER_PREFIX = 'bearer.';
const REALTIME = 'realtime';
const OPENAI_KEY_PREFIX = 'openai-insecure-api-key.';

/**
 * Deepgram's browser clients offer `token` or `bearer`, followed by the key; OpenAI's and ElevenLabs' offer the key
 * behind a prefix.
 */
function vendorProtocols(protocols: readonly string[], vendor: ClientVendor): string[] {
  if (vendor === 'openai')
    return protocols
      .filter((one) => one.startsWith(OPENAI_KEY_PREFIX))
      .map((one) => `${KEY_PREFIX}${withoutEphemeral(one.slice(OPENAI_KEY_PREFIX.length))}`);
  if (vendor === 'elevenlabs')
    return protocols
      .filter((one) => one.startsWith(BEARER_PREFIX))
      .flatMap((one) => [SUBPROTOCOL, `${KEY_PREFIX}${one.slice(BEARER_PREFIX.length)}`]);
  if (vendor !== 'deepgram') return [];
  const [scheme, key] = protocols;
  return (scheme === 'token' || scheme === 'bearer') && key !== undefined
    ? [SUBPROTOCOL, `${KEY_PREFIX}${key}`]
    : [];
}

export function authorizationOf(
  said: string | undefined,
  vendor: ClientVendor | undefined,
): string | undefined {
  if (vendor === 'deepgram') return asBearer(said);
  return vendor === 'openai' ? said?.replace(/^Bearer +ek_/i, 'Bearer ') : said;
}

export const credentialsOfUpgrade = (
  head: RequestHead,
  request: Pick<SocketRequest, 'query' | 'remoteAddress'>,
  vendor?: ClientVendor,
): RequestCredentials => ({
  authorization: authorizationOf(head.headers.authorization, vendor),
  apiKeyHeader:
    head.headers['x-api-key'] ?? (vendor === 'elevenlabs' ? head.headers['xi-api-key'] : undefined),
  apiKeyQuery: request.query.get('api_key') ?? undefined,
  protocols: protocolsAt(head, vendor),
  cookie: head.headers.cookie,
  origin: head.headers.origin,
  host: head.headers.host,
  remoteAddress: request.remoteAddress,
});
