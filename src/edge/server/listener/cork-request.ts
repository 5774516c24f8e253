import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { UwsApp, UwsResponse } from './uws.ts';

const RECONNECT_MS = 1_000;

const reachable = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);

/**
 * An unanswered request of the listener to itself, whose cork wraps every upgrade. An upgrade under its own cork may be
 * closed at random: uWebSockets.js reads freed memory there (decision 024).
 */
export class CorkRequest {
  readonly #path = `/.cork-${randomUUID()}`;
  #response: UwsResponse | null = null;
  #socket: Socket | null = null;
  #ended = false;

  constructor(app: UwsApp) {
    app.get(this.#path, (response) => {
      this.#response = response;
      response.onAborted(() => {
        if (this.#response === response) this.#response = null;
      });
    });
  }

  cork(run: () => void): void {
    if (this.#response) this.#response.cork(run);
    else run();
  }

  /** Resolves when the listener has received the request, or cannot be reached from this machine. */
  async open(host: string, port: number): Promise<void> {
    const socket = connect(port, reachable(host));
    this.#socket = socket;
    socket.unref();
    await new Promise<void>((resolve) => {
      socket.once('connect', () => {
        socket.write(`GET ${this.#path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`, () => setImmediate(resolve));
      });
      socket.on('error', () => resolve());
      socket.once('close', () => {
        resolve();
        setTimeout(() => void (this.#ended || this.open(host, port)), RECONNECT_MS).unref();
      });
    });
  }

  close(): void {
    this.#ended = true;
    this.#socket?.destroy();
  }
}
