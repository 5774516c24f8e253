import { isIP } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './address.ts';

export type GateReason =
  | 'malformed'
  | 'scheme'
  | 'credentials'
  | 'port'
  | 'host'
  | 'address'
  | 'dns'
  | 'redirect'
  | 'too_large'
  | 'timeout'
  | 'encoding'
  | 'connection';

/** The message is for the user who gave the URL and reveals nothing about the resolved addresses. */
export class GateError extends Error {
  readonly reason: GateReason;

  constructor(reason: GateReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GateError';
    this.reason = reason;
  }
}

export interface GatePolicy {
  /**
   * It lets `http` and `https` reach this machine by `localhost` or a literal loopback address, for trials and tests.
   */
  readonly allowLoopback: boolean;
  readonly privateHosts?: ReadonlySet<string>;
}

export type HostTrust = 'public' | 'loopback' | 'private';

/** Signed storage links with a session token have some thousand characters. Every URL field accepts this many. */
export const MAX_URL_CHARACTERS = 8192;
const REWRITTEN = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\p{Cf}\\]/u;
/** The names are local by convention, whatever a resolver returns. */
const LOCAL_NAME =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|test|example|invalid|onion|arpa)$/;
/** The protocols on these ports could misread an HTTP request; web servers use other ports. */
const FORBIDDEN_PORTS = new Set([
  1433, 1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432,
  5672, 5900, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 8086, 9042, 9092, 9200,
  9300, 10080, 10250, 11211, 26257, 27017,
]);

const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && isLoopbackAddress(host));

export interface CheckedUrl {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  readonly trust: HostTrust;
}

function parseStrictly(text: string): URL {
  if (text.length > MAX_URL_CHARACTERS)
    throw new GateError('malformed', `The URL is longer than ${MAX_URL_CHARACTERS} characters.`);
  if (REWRITTEN.test(text))
    throw new GateError('malformed', 'The URL has spaces, control characters or backslashes.');
  if (/^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(text))
    throw new GateError('scheme', 'The URL must start with https://.');
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text))
    throw new GateError('malformed', 'The URL is not absolute.');
  try {
    return new URL(text);
  } catch (cause) {
    throw new GateError('malformed', 'The URL is not valid.', { cause });
  }
}

const isOpenPort = (port: number): boolean => port === 443 || (port >= 1024 && !FORBIDDEN_PORTS.has(port));

export function mayReach(address: string, port: number, allowLoopback: boolean): boolean {
  if (isIP(address) === 0) return false;
  return (allowLoopback && isLoopbackAddress(address)) || (isPublicAddress(address) && isOpenPort(port));
}

function checkPort(url: URL, trusted: boolean): number {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (trusted || isOpenPort(port)) return port;
  throw new GateError(
    'port',
    `Port ${port} is not allowed in URLs: use 443, or a port from 1024 that serves the web.`,
  );
}

function checkHost(host: string): void {
  if (host === '') throw new GateError('host', 'The URL has no host.');
  if (isIP(host) !== 0) {
    if (!isPublicAddress(host))
      throw new GateError('address', 'The URL resolves to an address that is not public.');
    return;
  }
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(host) || LOCAL_NAME.test(host)) {
    throw new GateError('host', 'The URL must name a host on the public internet.');
  }
}

function trustIn(url: URL, host: string, { allowLoopback, privateHosts }: GatePolicy): HostTrust {
  if (allowLoopback && isLoopbackHost(host)) return 'loopback';
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const listed = privateHosts?.has(host) === true || privateHosts?.has(`${host}:${port}`) === true;
  return listed ? 'private' : 'public';
}

const notOnThisMachine = (): GateError =>
  new GateError(
    'address',
    'The URL must start with https:// and resolve to a public address. For tests on this machine, the operator can set TRUNKLINE_ALLOW_LOOPBACK_URLS=true.',
  );

export function checkUrl(text: string, policy: GatePolicy): CheckedUrl {
  const url = parseStrictly(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new GateError('scheme', 'The URL must start with https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new GateError('credentials', 'The URL must not contain a user name or a password.');
  }
  const host = bareHost(url);
  const trust = trustIn(url, host, policy);
  if (trust === 'public' && isLoopbackHost(host)) throw notOnThisMachine();
  if (url.protocol === 'http:' && trust === 'public')
    throw new GateError('scheme', 'The URL must start with https://.');
  if (trust === 'public') checkHost(host);
  return { url, host, port: checkPort(url, trust !== 'public'), trust };
}
