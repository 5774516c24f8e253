import { ConnectionError, SocketClosedError } from './errors.js';

export type Bytes = ArrayBuffer | ArrayBufferView<ArrayBuffer>;
export type Received = string | Uint8Array<ArrayBuffer>;

/** What both the browser's class and that of `ws` have. */
interface AnySocket {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: string | Bytes): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: never) => void): void;
}
type SocketClass = new (url: string, protocols: string[]) => AnySocket;

const OPEN = 1;
const ABNORMAL_CLOSURE = 1006;

async function socketClass(): Promise<SocketClass> {
  const own = (globalThis as { WebSocket?: SocketClass }).WebSocket;
  if (own) return own;
  // Node 20 has none of its own.
  const { WebSocket } = (await import('ws')) as unknown as { WebSocket: SocketClass };
  return WebSocket;
}

export interface Address {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** A connection whose messages are read in their order, none lost between two reads. */
export class Connection implements AsyncIterable<Received> {
  readonly #socket: AnySocket;
  readonly #queue: Received[] = [];
  #waiting: (() => void) | null = null;
  #closed: { code: number; reason: string } | null = null;
  readonly closed: Promise<{ code: number; reason: string }>;
  /** The number of messages that have come. */
  received = 0;

  private constructor(socket: AnySocket) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      this.received += 1;
      this.#queue.push(typeof data === 'string' ? data : new Uint8Array(data));
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }: CloseEvent) => {
        this.#closed = { code, reason };
        resolve(this.#closed);
        this.#wake();
      });
    });
  }

  /** The key goes as the second subprotocol, which browsers can send as well. */
  static async open(
    { baseUrl, apiKey }: Address,
    path: string,
    query: Readonly<Record<string, string | number | undefined>>,
    timeoutMs?: number,
  ): Promise<Connection> {
    const url = new URL(baseUrl.replace(/^http/, 'ws').replace(/\/$/, '') + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const Socket = await socketClass();
    const protocols = apiKey === '' ? [] : ['svc.v1', `svc-key.${apiKey}`];
    const socket = new Socket(url.href, protocols);
    const connection = new Connection(socket);
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', ({ message }: ErrorEvent) => {
        reject(new ConnectionError(`${path} cannot be opened${message ? `: ${message}` : ''}`));
      });
      if (timeoutMs === undefined) return;
      timer = setTimeout(() => {
        reject(new ConnectionError(`${path} was not opened within ${timeoutMs} ms`));
        socket.close();
      }, timeoutMs);
    }).finally(() => clearTimeout(timer));
    return connection;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === OPEN;
  }

  /** Bytes that have not left yet: wait where they become many. */
  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Does nothing once the socket is closing. */
  send(data: string | Bytes): void {
    if (this.isOpen) this.#socket.send(data);
  }

  close(code = 1000): void {
    this.#socket.close(code);
  }

  /** Ends the reading as a connection that broke, and sends no close frame: that would end a call that is to be resumed. */
  abandon(reason: string): void {
    this.#closed ??= { code: ABNORMAL_CLOSURE, reason };
    this.#wake();
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = null;
  }

  /** Ends when the socket closes with 1000; throws `SocketClosedError` where it closes otherwise. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Received, void> {
    for (;;) {
      const next = this.#queue.shift();
      if (next !== undefined) yield next;
      else if (this.#closed === null) await new Promise<void>((resolve) => (this.#waiting = resolve));
      else if (this.#closed.code === 1000) return;
      else throw new SocketClosedError(this.#closed.code, this.#closed.reason);
    }
  }
}
