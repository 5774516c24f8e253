import { Writable } from 'node:stream';
import type { IncomingRequest } from './incoming-request.ts';

export type HeaderValue = string | number | readonly string[];
type Headers = Record<string, HeaderValue | undefined>;

export abstract class OutgoingResponseHead extends Writable {
  statusCode = 200;
  statusMessage = '';
  headersSent = false;
  sendDate = true;
  readonly req: IncomingRequest;
  readonly #headers = new Map<string, HeaderValue>();

  constructor(request: IncomingRequest) {
    super({ highWaterMark: 64 * 1024, decodeStrings: true });
    this.req = request;
  }

  get socket(): IncomingRequest['socket'] {
    return this.req.socket;
  }
  get connection(): IncomingRequest['socket'] {
    return this.req.socket;
  }
  get finished(): boolean {
    return this.writableEnded;
  }

  setHeader(name: string, value: HeaderValue): this {
    if (this.headersSent) throw new Error(`header ${name} after the head was sent`);
    this.#headers.set(name.toLowerCase(), value);
    return this;
  }
  getHeader(name: string): HeaderValue | undefined {
    return this.#headers.get(name.toLowerCase());
  }
  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }
  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }
  getHeaderNames(): string[] {
    return [...this.#headers.keys()];
  }
  getHeaders(): Headers {
    return Object.fromEntries(this.#headers);
  }
  setTimeout(): this {
    return this;
  }

  writeHead(status: number, message?: string | Headers, headers?: Headers): this {
    this.statusCode = status;
    if (typeof message === 'string') this.statusMessage = message;
    const given = typeof message === 'object' ? message : headers;
    for (const [name, value] of Object.entries(given ?? {})) {
      if (value !== undefined) this.setHeader(name, value);
    }
    return this;
  }
}
