import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import type { Clock } from '../../../../foundation/platform/clock.ts';
import { deadline } from '../../../../foundation/platform/deadline.ts';
import { NetworkRefused, type PacketDocument } from '../contract.ts';
import { digestOf, signatureOf } from './signing.ts';

export interface NetworkEndpoint {
  /** User and password in the base URL become basic authentication. */
  readonly url: string;
  readonly secret: string;
  readonly clock: Clock;
  readonly timeouts?: { readonly jsonMs: number; readonly documentMs: number };
}

const TIMEOUTS = { jsonMs: 30_000, documentMs: 300_000 };
const MOST_ANSWERED = 64 * 1024;
const LATER: ReadonlySet<number> = new Set([408, 409, 425, 429]);

interface SignedNetworkRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly sha256: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  readonly timeoutMs: number;
}

/** Signs each request. Throws NetworkRefused where a retry is useless. */
export class NetworkClient {
  readonly #carrier: NetworkEndpoint;
  readonly #base: URL;
  readonly #authorization: string | null;

  constructor(carrier: NetworkEndpoint) {
    this.#carrier = carrier;
    this.#base = new URL(carrier.url);
    const { username, password } = this.#base;
    const credential = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#authorization =
      username === '' ? null : `Basic ${Buffer.from(credential, 'utf8').toString('base64')}`;
  }

  get(path: string, signal: AbortSignal): Promise<unknown> {
    const { jsonMs: timeoutMs } = this.#timeouts;
    return this.#json({ method: 'GET', path, sha256: digestOf(''), timeoutMs }, signal);
  }

  post(path: string, key: string, json: object, signal: AbortSignal): Promise<unknown> {
    const body = JSON.stringify(json);
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const { jsonMs: timeoutMs } = this.#timeouts;
    const asked = { method: 'POST', path, sha256: digestOf(body), headers, body, timeoutMs } as const;
    return this.#json(asked, signal);
  }

  /** The digest is the document's address, so that a repeated upload changes nothing. */
  async put(path: string, document: PacketDocument, signal: AbortSignal): Promise<void> {
    const { sha256, mime_type, size_bytes } = document;
    const headers = { 'content-type': mime_type, 'content-length': String(size_bytes) };
    const body = Readable.from(verified(await document.bytes(), sha256), { objectMode: false });
    const { documentMs: timeoutMs } = this.#timeouts;
    try {
      const { status, text } = await this.#send(
        { method: 'PUT', path, sha256, headers, body, timeoutMs },
        signal,
      );
      check(status, text);
    } finally {
      body.destroy();
    }
  }

  get #timeouts() {
    return this.#carrier.timeouts ?? TIMEOUTS;
  }

  async #json(asked: SignedNetworkRequest, signal: AbortSignal): Promise<unknown> {
    const { status, text } = await this.#send(asked, signal);
    check(status, text);
    return jsonOf(text);
  }

  async #send(asked: SignedNetworkRequest, signal: AbortSignal): Promise<{ status: number; text: string }> {
    const path = `${this.#base.pathname.replace(/\/+$/, '')}${asked.path}`;
    const { sha256, method, body, timeoutMs } = asked;
    const unixSeconds = Math.floor(this.#carrier.clock.now() / 1000);
    const late = deadline(timeoutMs);
    try {
      const answer = await request(`${this.#base.origin}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': 'Trunkline-Compliance/1',
          ...(this.#authorization === null ? {} : { authorization: this.#authorization }),
          ...asked.headers,
          'x-svc-content-sha256': sha256,
          'x-svc-signature': signatureOf(this.#carrier.secret, { method, path, sha256, unixSeconds }),
        },
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal: AbortSignal.any([signal, late]),
        ...(body === undefined ? {} : { body }),
      });
      return { status: answer.statusCode, text: await textOf(answer) };
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof NetworkRefused) throw cause;
      const why = late.aborted ? `did not respond within ${timeoutMs} ms` : 'could not be reached';
      throw new Error(`The carrier ${why}.`, { cause });
    }
  }
}

/** The last bytes are held back until the digest is verified, so that no request with wrong bytes completes. */
async function* verified(bytes: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let last: Uint8Array | null = null;
  for await (const part of bytes) {
    hash.update(part);
    if (last !== null) yield last;
    last = part;
  }
  if (hash.digest('hex') !== sha256) throw new NetworkRefused('The content of a document was changed.');
  if (last !== null) yield last;
}

async function textOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_ANSWERED) throw new Error('The response of the carrier is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('The response of the carrier is not JSON.');
  }
}

function check(status: number, text: string): void {
  if (status >= 200 && status < 300) return;
  if (status >= 500 || LATER.has(status)) throw new Error(`The carrier responded with status ${status}.`);
  const code = /"code"\s*:\s*"([a-z0-9_.-]{1,64})"/i.exec(text)?.[1];
  throw new NetworkRefused(
    `The carrier responded with status ${status}${code === undefined ? '' : ` (${code})`}.`,
  );
}
