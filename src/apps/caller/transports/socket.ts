import { WebSocket } from 'undici';
import { CallRefusedError } from '../call-transport.ts';

export interface SocketOptions {
  readonly headers?: Record<string, string>;
  readonly message: (data: Buffer) => void;
  readonly closed: (code: number) => void;
}

export class OpenSocket {
  readonly #socket: WebSocket;
  readonly #gone: Promise<void>;

  private constructor(socket: WebSocket, options: SocketOptions) {
    this.#socket = socket;
    this.#gone = new Promise((resolve) => {
      socket.addEventListener('close', ({ code }) => {
        options.closed(code);
        resolve();
      });
    });
    socket.addEventListener('message', ({ data }) => {
      options.message(typeof data === 'string' ? Buffer.from(data) : Buffer.from(data as ArrayBuffer));
    });
  }

  static async open(url: string, options: SocketOptions): Promise<OpenSocket> {
    const socket = new WebSocket(url, options.headers === undefined ? {} : { headers: options.headers });
    socket.binaryType = 'arraybuffer';
    const opened = new OpenSocket(socket, options);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      const refuse = () =>
        reject(
          new CallRefusedError(
            `${new URL(url).host} did not accept the call: does the URL serve the protocol that --protocol names?`,
          ),
        );
      socket.addEventListener('error', refuse);
      socket.addEventListener('close', refuse);
    });
    return opened;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(data);
  }

  /** Sends `last` first, for servers that close after it. */
  async close(last?: string | Uint8Array<ArrayBuffer>): Promise<void> {
    if (last !== undefined) this.send(last);
    else if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(1000);
    await this.#gone;
  }
}
