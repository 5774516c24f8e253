import { Readable } from 'node:stream';
import type { RequestHead } from './head.ts';

/** Of a body that nobody reads any more. */
const LINGER_BYTES = 32 * 1024 * 1024;
const LINGER_MS = 10_000;
/** Who has read the answer and sends no more waits for its end. */
const IDLE_MS = 500;

/** More of the body may be on its way than the library should read for nothing. */
export const hasMuchToCome = ({ complete, headers }: Incoming): boolean =>
  !complete &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > LINGER_BYTES);

/** What the body's source can do for its reader. */
export interface BodySource {
  pause(): void;
  resume(): void;
}

/** Stands where fastify expects node's IncomingMessage. The body is held back at the socket while nobody reads. */
export class Incoming extends Readable {
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
  /** The whole body has arrived. */
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

  get connection(): Incoming['socket'] {
    return this.socket;
  }

  /** `chunk` belongs to the listener, which reuses it: it is copied. */
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

  /** The answer is complete: what remains of the body is of no interest. */
  discard(): void {
    if (!this.complete) this.destroy();
  }

  /** The answer has left before the body was there: who still sends must be read for a while, or is never seen to read it. Calls `done` once the rest has come, or as much of it as is waited for: nothing more is read then. */
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

  /** Lets the body pass, read or not, so that the connection can go on. */
  flow(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#source.resume();
  }

  /** The peer is gone. */
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

  /** As node does: a peer that leaves is an error only for those who listen for it. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    done(this.listenerCount('error') > 0 ? error : null);
  }
}
