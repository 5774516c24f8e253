import type { Readable } from 'node:stream';
import { Agent, type buildConnector, type Dispatcher, type WebSocket } from 'undici';
import { type Clock, systemClock } from '../clock.ts';
import { asGateError, cappedBody, tooLarge } from './body.ts';
import { type GateNetwork, gateConnector, realNetwork } from './connect.ts';
import { GateSocket } from './gate-socket.ts';
import { type CheckedUrl, checkUrl, GateError, type GatePolicy } from './policy.ts';
import { type TransferRateWatch, watchTransferRate } from './transfer-rate.ts';

export interface GateRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly maxBytes: number;
  /** Only the status counts: a large or compressed body is no error until it is read. */
  readonly statusOnly?: boolean;
  /** The timeout covers name resolution, connection, redirects and the last byte of the body. */
  readonly timeoutMs: number;
  /** A body slower than this over 30 seconds is aborted; the default accepts any rate. */
  readonly leastBytesPerSecond?: number;
  /** Only GET and HEAD follow redirects; the default is 0. Each hop is checked like the first. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
}

export interface GateResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly url: string;
  readonly body: Readable;
}

export interface UrlGateOptions extends GatePolicy {
  readonly clock?: Clock;
  readonly network?: GateNetwork;
  readonly ca?: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;
/** The limit applies to a message as it was sent and after it was decompressed. */
const MAX_SOCKET_MESSAGE_BYTES = 1024 * 1024;
const CONNECTION = {
  pipelining: 1,
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 10_000,
  headersTimeout: SILENCE_TIMEOUT_MS,
  bodyTimeout: SILENCE_TIMEOUT_MS,
  maxHeaderSize: 16_384,
  webSocket: { maxPayloadSize: MAX_SOCKET_MESSAGE_BYTES, maxFragments: 1_024 },
};
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** A redirect to another origin gets only these headers, which cannot hold a secret. */
const HARMLESS_HEADERS = new Set(['accept', 'accept-language', 'user-agent', 'range', 'accept-encoding']);

/** Every request to a URL that a user gave goes through this gate. */
export class UrlGate {
  readonly #policy: GatePolicy;
  readonly #clock: Clock;
  readonly #connect: buildConnector.connector;
  readonly #agent: Agent;
  readonly #sockets = new Set<GateSocket>();

  constructor(options: UrlGateOptions) {
    const { allowLoopback, privateHosts } = options;
    this.#policy = { allowLoopback, ...(privateHosts === undefined ? {} : { privateHosts }) };
    this.#clock = options.clock ?? systemClock;
    this.#connect = gateConnector({
      policy: this.#policy,
      network: options.network ?? realNetwork,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      ...(options.ca ? { ca: options.ca } : {}),
    });
    this.#agent = new Agent({ ...CONNECTION, connect: this.#connect });
  }

  check(url: string): void {
    checkUrl(url, this.#policy);
  }

  async fetch(url: string, request: GateRequest): Promise<GateResponse> {
    const abort = new AbortController();
    const giveUp = () => abort.abort(request.signal?.reason ?? new Error('The request was cancelled.'));
    if (request.signal?.aborted) giveUp();
    request.signal?.addEventListener('abort', giveUp, { once: true });
    const cancelTimer = this.#clock.after(request.timeoutMs, () =>
      abort.abort(
        new GateError('timeout', `The URL did not respond completely within ${request.timeoutMs} ms.`),
      ),
    );
    let pace: TransferRateWatch | null = null;
    const finished = () => {
      cancelTimer();
      pace?.stop();
      request.signal?.removeEventListener('abort', giveUp);
    };
    try {
      const { answer, at } = await this.#follow(url, request, abort.signal);
      const rate = request.leastBytesPerSecond;
      if (rate !== undefined)
        pace = watchTransferRate(this.#clock, rate, () =>
          abort.abort(new GateError('timeout', `The URL sends fewer than ${rate} bytes per second.`)),
        );
      const arrived = (bytes: number) => pace?.arrived(bytes);
      const body = cappedBody(answer.body, request.maxBytes, { arrived, finished }, abort.signal);
      return { status: answer.statusCode, headers: answer.headers, url: at.url.href, body };
    } catch (error) {
      finished();
      throw asGateError(error, abort.signal);
    }
  }

  /**
   * Opens a WebSocket to `http(s):` or `ws(s):`, with the checks of a request; it follows no redirect. Throws
   * GateError for a refused URL; later failures are an `error` event of the socket, as is a message of more than
   * 1 MiB. The connection ends at most 2 s after `close`, whatever the host does.
   */
  webSocket(url: string, headers: Readonly<Record<string, string>> = {}): WebSocket {
    const { url: at } = checkUrl(url.replace(/^ws(?=s?:)/i, 'http'), this.#policy);
    // A request never sends the fragment, and a WebSocket's constructor refuses it.
    at.hash = '';
    const options = { ...CONNECTION, clock: this.#clock, connect: this.#connect, headers };
    const socket = new GateSocket(at, options);
    this.#sockets.add(socket);
    socket.addEventListener('close', () => this.#sockets.delete(socket));
    return socket;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.#agent.destroy();
  }

  async #follow(
    text: string,
    request: GateRequest,
    signal: AbortSignal,
  ): Promise<{ answer: Dispatcher.ResponseData; at: CheckedUrl }> {
    let at = checkUrl(text, this.#policy);
    let headers: Record<string, string> = { 'accept-encoding': 'identity', ...request.headers };
    const mayFollow = request.method === undefined || request.method === 'GET' || request.method === 'HEAD';
    const allowed = mayFollow ? (request.maxRedirects ?? 0) : 0;
    for (let left = allowed; ; left -= 1) {
      const answer = await this.#once(at, request, headers, signal);
      const location = answer.headers.location;
      if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string' || allowed === 0) {
        this.#checkAnswer(answer, request);
        return { answer, at };
      }
      discard(answer);
      if (left === 0) throw new GateError('redirect', `The URL redirects more than ${allowed} times.`);
      const next = nextHop(location, at, this.#policy);
      if (next.url.origin !== at.url.origin) {
        headers = Object.fromEntries(
          Object.entries(headers).filter(([name]) => HARMLESS_HEADERS.has(name.toLowerCase())),
        );
      }
      at = next;
    }
  }

  #once(
    at: CheckedUrl,
    request: GateRequest,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    return this.#agent.request({
      origin: at.url.origin,
      path: `${at.url.pathname}${at.url.search}`,
      method: request.method ?? 'GET',
      headers,
      ...(request.body === undefined ? {} : { body: request.body as string }),
      signal,
    });
  }

  /** The status decides first, so that a compressed error page reports its status. */
  #checkAnswer(answer: Dispatcher.ResponseData, request: GateRequest): void {
    if (request.statusOnly || answer.statusCode < 200 || answer.statusCode > 299) return;
    const encoding = answer.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      discard(answer);
      // Decompression would need a second limit against bombs, and every server can send plain bytes.
      throw new GateError(
        'encoding',
        'The URL returned a compressed response although an uncompressed one was requested.',
      );
    }
    if (request.method !== 'HEAD' && Number(answer.headers['content-length'] ?? 0) > request.maxBytes) {
      discard(answer);
      throw tooLarge(request.maxBytes);
    }
  }
}

function discard(answer: Dispatcher.ResponseData): void {
  answer.body.on('error', () => {});
  answer.body.destroy();
}

function nextHop(location: string, from: CheckedUrl, policy: GatePolicy): CheckedUrl {
  let absolute: string;
  try {
    absolute = new URL(location, from.url).href;
  } catch (cause) {
    throw new GateError('redirect', 'The URL redirects to an invalid URL.', { cause });
  }
  const next = checkUrl(absolute, policy);
  if (next.trust !== 'public' && from.trust === 'public') {
    throw new GateError('address', 'The URL redirects to an address that is not public.');
  }
  return next;
}
