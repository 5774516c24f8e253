import type { Presented } from '../../access/contract.ts';
import type { SocketRequest } from '../surface.ts';
import type { RequestHead } from './head.ts';

const MARKER = 'svc.v1';

export const protocolsOf = (header: string | undefined): string[] =>
  (header ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** The marker when it was offered, otherwise nothing: the key is never reflected. */
export const subprotocolAnswer = (header: string | undefined): string =>
  protocolsOf(header).includes(MARKER) ? MARKER : '';

export const presentedAt = (head: RequestHead, request: SocketRequest): Presented => ({
  authorization: head.headers.authorization,
  apiKeyHeader: head.headers['x-api-key'],
  apiKeyQuery: request.query.get('api_key') ?? undefined,
  protocols: protocolsOf(head.headers['sec-websocket-protocol']),
  cookie: head.headers.cookie,
  origin: head.headers.origin,
  host: head.headers.host,
  remoteAddress: request.remoteAddress,
});
