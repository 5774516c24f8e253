import { STATUS_CODES } from 'node:http';
import { hasLargeRemainder, type IncomingRequest } from './incoming-request.ts';
import { OutgoingResponseHead } from './outgoing-response-head.ts';
import type { UwsResponse } from './uws.ts';

type Done = (error?: Error | null) => void;

const NO_BODY: ReadonlySet<number> = new Set([204, 304]);
/** The library writes these headers itself. */
const OWN = new Set(['content-length', 'transfer-encoding', 'connection', 'date', 'keep-alive']);

/** Replaces node's ServerResponse for fastify. A write completes when the socket has accepted it. */
export class OutgoingResponse extends OutgoingResponseHead {
  /** This becomes null after the end and after a disconnect, because the library throws on any later use. */
  #response: UwsResponse | null;
  #whole: Buffer | undefined;
  #announced: number | undefined;
  #waiting: ((offset: number) => void) | undefined;

  constructor(response: UwsResponse, request: IncomingRequest) {
    super(request);
    this.#response = response;
    response.onWritable((offset) => {
      const next = this.#waiting;
      this.#waiting = undefined;
      next?.(offset);
      return true;
    });
  }

  flushHeaders(): void {
    if (this.headersSent || this.#response === null) return;
    this.#response.cork(() => this.#sendHead());
  }

  override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
    const body = typeof chunk === 'function' ? undefined : chunk;
    const callback = [chunk, encoding, done].find((one) => typeof one === 'function') as
      | (() => void)
      | undefined;
    const charset = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
    if (this.headersSent || this.writableLength > 0) {
      return body === undefined || body === null ? super.end(callback) : super.end(body, charset, callback);
    }
    if (body !== undefined && body !== null && !this.writableEnded) {
      this.#whole = typeof body === 'string' ? Buffer.from(body, charset) : asBuffer(body as Uint8Array);
    }
    return super.end(callback);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    const response = this.#response;
    if (response === null) {
      done(gone());
      return;
    }
    if (this.#isBodiless()) {
      this.flushHeaders();
      done();
      return;
    }
    response.cork(() => {
      this.#sendHead();
      if (this.#announced !== undefined) this.#sendAnnounced(response, chunk, done);
      else if (response.write(chunk)) done();
      else this.#waiting = () => done();
    });
  }

  /** With a Content-Length, the library accepts only what fits into the socket; the rest is offered again. */
  #sendAnnounced(response: UwsResponse, chunk: Buffer, done: Done): void {
    const start = response.getWriteOffset();
    const [ok, ended] = response.tryEnd(chunk, this.#announced!);
    if (ended) this.#response = null;
    if (ok || ended) {
      done();
      return;
    }
    this.#waiting = (offset) => {
      const rest = chunk.subarray(offset - start);
      if (rest.length === 0) done();
      else response.cork(() => this.#sendAnnounced(response, rest, done));
    };
  }

  override _final(done: Done): void {
    const response = this.#response;
    this.#response = null;
    if (response !== null) this.#finish(response);
    done();
    this.req.discard();
  }

  #finish(response: UwsResponse): void {
    // The library cannot resume the body after the end of the response.
    this.req.flow();
    const first = !this.headersSent;
    const isEarly = first && hasLargeRemainder(this.req) && !this.#isBodiless();
    if (isEarly) this.setHeader('connection', 'close');
    const close = String(this.getHeader('connection') ?? '').toLowerCase() === 'close';
    response.cork(() => {
      if (first) this.#sendHead(response);
      if (this.#isBodiless()) this.#endWithoutBody(response);
      else if (isEarly) this.#answerEarly(response);
      else if (first) response.end(this.#whole ?? '', close);
      else if (this.#announced !== undefined) response.close();
      else response.end(undefined, close);
    });
  }

  /** Sends the response at once as a chunk, and ends it after the rest of the body was read. The end gets no close flag, since
   * the library would write that header into the body; it closes the idle connection by itself. */
  #answerEarly(response: UwsResponse): void {
    response.write(this.#whole ?? '');
    this.req.linger(() => response.cork(() => response.end()));
  }

  /** A response to HEAD declares the body's length; 204 and 304 declare none. The length is not passed as an argument, since
   * the library would then keep a connection open that the client wants closed. */
  #endWithoutBody(response: UwsResponse): void {
    const said = this.getHeader('content-length') ?? this.#whole?.length;
    if (said !== undefined && !NO_BODY.has(this.statusCode))
      response.writeHeader('content-length', String(said));
    response.endWithoutBody();
  }

  #isBodiless(): boolean {
    return this.req.method === 'HEAD' || NO_BODY.has(this.statusCode);
  }

  #sendHead(response = this.#response): void {
    if (this.headersSent || response === null) return;
    this.headersSent = true;
    const reason = this.statusMessage || STATUS_CODES[this.statusCode] || 'Unknown';
    response.writeStatus(`${this.statusCode} ${reason}`);
    for (const [name, value] of Object.entries(this.getHeaders())) {
      if (OWN.has(name)) continue;
      if (Array.isArray(value)) for (const one of value) response.writeHeader(name, safe(String(one)));
      else response.writeHeader(name, safe(String(value)));
    }
    const length = this.getHeader('content-length');
    if (length !== undefined && !this.writableEnded) this.#announced = Number(length);
    if (String(this.getHeader('connection') ?? '').toLowerCase() === 'close')
      response.writeHeader('connection', 'close');
  }

  abort(): void {
    this.#response = null;
    this.#waiting = undefined;
    this.destroy();
  }

  override _destroy(error: Error | null, done: Done): void {
    const response = this.#response;
    this.#response = null;
    if (response !== null) {
      response.close();
      this.req.abort();
    }
    done(this.listenerCount('error') > 0 ? error : null);
  }
}

const gone = (): Error => Object.assign(new Error('the peer has disconnected'), { code: 'ECONNRESET' });

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Removes line breaks, which would start another header. */
const safe = (value: string): string => (/[\r\n\0]/.test(value) ? value.replace(/[\r\n\0]+/g, ' ') : value);
