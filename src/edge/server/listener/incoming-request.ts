import { Readable } from 'node:stream';
import type { RequestHead } from './request-head.ts';

/** These limits bound how much of a body the listener reads after it sent the response. */
const LINGER_BYTES = 32 * 1024 * 1024;
const LINGER_MS = 10_000;
/** A client that is silent this long has stopped sending and waits for the end of the response. */
const IDLE_MS = 500;

export const hasLargeRemainder = ({ complete, headers }: IncomingRequest): boolean =>
  !complete &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > LINGER_BYTES);

export interface BodySource {
  pause(): void;
  resume(): void;
}

/**
 * Replaces node's IncomingMessage for fastify. It pauses the socket while the handler does not read the body
 * (backpressure).
 */
export class IncomingRequest extends Readable {
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly method: string;
  url: string;
  originalUrl: string;
  readonly headers: Record<string, string>;
  readonly rawHeaders: string[];
  readonly trailers = {};
  readonly socket: { readonly remoteAddress: string; readonly encrypted: false; destroyed: boolean };
  complete = false;
  aborted = false;
  readonly #source: BodySource;
  #paused = false;
  #onDrained: ((bytes: number, isLast: boolean) => void) | null = null;

  constructor(head: RequestHead, source: BodySource) {
    super({ highWaterMark: 64 * 1024 });
    this.method = head.method;
    this.url = head.url;
    this.originalUrl = head.url;
    this.headers = head.headers;
    this.rawHeaders = head.rawHeaders;
    this.socket = { remoteAddress: head.peer, encrypted: false, destroyed: false };
    this.#source = source;
  }

  get connection(): IncomingRequest['socket'] {
    return this.socket;
  }

  /** Copies `chunk`, whose memory the library reuses. */
  receive(chunk: ArrayBuffer, isLast: boolean): void {
    this.#onDrained?.(chunk.byteLength, isLast);
    if (this.destroyed || this.complete) {
      this.complete ||= isLast;
      return;
    }
    if (chunk.byteLength > 0 && !this.push(Buffer.from(new Uint8Array(chunk))) && !isLast) {
      this.#paused = true;
      this.#source.pause();
    }
    if (isLast) {
      this.complete = true;
      this.push(null);
    }
  }

  override _read(): void {
    this.flow();
  }

  discard(): void {
    if (!this.complete) this.destroy();
  }

  /** Reads on after an early response: a client that still sends its body would not read the response otherwise. Calls `done`
   * once the rest of the body has arrived or a limit is reached; nothing more is read then. */
  linger(done: () => void): void {
    let left = LINGER_BYTES;
    const end = (isCut: boolean) => {
      clearTimeout(late);
      clearTimeout(idle);
      this.#onDrained = null;
      if (this.aborted) return;
      if (isCut) this.#source.pause();
      done();
    };
    const late = setTimeout(end, LINGER_MS, true);
    const idle = setTimeout(end, IDLE_MS, false);
    this.#onDrained = (bytes, isLast) => {
      left -= bytes;
      idle.refresh();
      if (isLast || left <= 0) end(!isLast);
    };
  }

  /** Resumes the socket even when the handler does not read the body, so that the connection can be reused. */
  flow(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#source.resume();
  }

  abort(): void {
    this.#paused = false;
    this.socket.destroyed = true;
    if (this.aborted) return;
    this.aborted = true;
    this.emit('aborted');
    if (!this.complete) {
      this.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
    } else {
      this.destroy();
    }
  }

  setTimeout(): this {
    return this;
  }

  /** Node emits the error of a disconnected peer only when a listener is attached, and so does this stream. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    done(this.listenerCount('error') > 0 ? error : null);
  }
}
