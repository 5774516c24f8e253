import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { UwsApp, UwsResponse } from './uws.ts';

const AGAIN_MS = 1_000;

const reachable = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host);

/**
 * A request of the listener to itself that is never answered, so that upgrades can be corked by it. Corked by
 * themselves they are closed by what the memory behind them happens to hold (decision 024).
 */
export class Anchor {
  readonly #path = `/.anchor-${randomUUID()}`;
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

  /** Runs at once, while no other connection holds the cork. */
  cork(run: () => void): void {
    if (this.#response) this.#response.cork(run);
    else run();
  }

  /** Resolves when the listener has the request, or can't be reached from this machine itself. */
  async drop(host: string, port: number): Promise<void> {
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
        setTimeout(() => void (this.#ended || this.drop(host, port)), AGAIN_MS).unref();
      });
    });
  }

  end(): void {
    this.#ended = true;
    this.#socket?.destroy();
  }
}
