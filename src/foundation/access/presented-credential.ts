import type { RequestCredentials } from './contract.ts';

/** WebSocket clients that cannot set headers offer this marker, followed by the key behind its prefix. */
export const SUBPROTOCOL = 'svc.v1';
const SUBPROTOCOL_KEY = 'svc-key.';
export const SESSION_COOKIE = 'trunkline_session';

export interface PresentedCredential {
  readonly text: string;
  readonly from: 'header' | 'protocol' | 'query' | 'cookie';
}

function bearerOf(authorization: string): string {
  const match = /^Bearer +(\S+) *$/i.exec(authorization);
  // Another scheme counts as a credential, so the answer is `invalid_api_key`, not `missing_api_key`.
  return match === null ? authorization : match[1]!;
}

/**
 * Chooses the credential: headers take precedence over the subprotocol, the subprotocol over the query, and a cookie
 * comes last.
 */
export function presentedCredential(presented: RequestCredentials): PresentedCredential | null {
  if (presented.authorization) return { text: bearerOf(presented.authorization), from: 'header' };
  if (presented.apiKeyHeader) return { text: presented.apiKeyHeader, from: 'header' };
  const protocol = presented.protocols.find((value) => value.startsWith(SUBPROTOCOL_KEY));
  if (protocol !== undefined) return { text: protocol.slice(SUBPROTOCOL_KEY.length), from: 'protocol' };
  if (presented.apiKeyQuery) return { text: presented.apiKeyQuery, from: 'query' };
  const cookie = presented.cookie === undefined ? undefined : cookieValue(presented.cookie, SESSION_COOKIE);
  return cookie === undefined ? null : { text: cookie, from: 'cookie' };
}

export function cookieValue(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
