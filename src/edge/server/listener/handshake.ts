import type { ClientVendor, RequestCredentials } from '../../../foundation/access/contract.ts';
import type { SocketRequest } from '../surface.ts';
import type { RequestHead } from './request-head.ts';

const SUBPROTOCOL = 'svc.v1';

const KEY_PREFIX = 'svc-key.';

/** Deepgram's clients send the scheme `Token` in the place of `Bearer`. */
export const asBearer = (authorization: string | undefined): string | undefined =>
  authorization?.replace(/^Token /i, 'Bearer ');

function protocolsAt(head: RequestHead, vendor: ClientVendor | undefined): string[] {
  const said = protocolsOf(head.headers['sec-websocket-protocol']);
  return vendor === 'deepgram' ? [...said, ...vendorProtocols(said)] : said;
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
  return vendor === 'deepgram' && vendorProtocols(offered).length > 0 ? (offered[0] ?? '') : '';
}

/** Deepgram's browser clients offer `token` or `bearer`, followed by the key. */
function vendorProtocols(protocols: readonly string[]): string[] {
  const [scheme, key] = protocols;
  return (scheme === 'token' || scheme === 'bearer') && key !== undefined
    ? [SUBPROTOCOL, `${KEY_PREFIX}${key}`]
    : [];
}

export const credentialsOfUpgrade = (
  head: RequestHead,
  request: Pick<SocketRequest, 'query' | 'remoteAddress'>,
  vendor?: ClientVendor,
): RequestCredentials => ({
  authorization: vendor === 'deepgram' ? asBearer(head.headers.authorization) : head.headers.authorization,
  apiKeyHeader:
    head.headers['x-api-key'] ?? (vendor === 'elevenlabs' ? head.headers['xi-api-key'] : undefined),
  apiKeyQuery: request.query.get('api_key') ?? undefined,
  protocols: protocolsAt(head, vendor),
  cookie: head.headers.cookie,
  origin: head.headers.origin,
  host: head.headers.host,
  remoteAddress: request.remoteAddress,
});
