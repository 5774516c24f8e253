import type { Socket } from 'node:net';
import { type buildConnector, Client, WebSocket } from 'undici';
import type { Clock } from '../clock.ts';

export interface GateSocketOptions extends Omit<Client.Options, 'connect'> {
  readonly clock: Clock;
  readonly connect: buildConnector.connector;
  readonly headers: Readonly<Record<string, string>>;
}

/** The host has this long to end its connection after `close`. */
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Has a connection of its own. `close` of undici sends a frame and leaves it to the host to end the connection; this
 * one destroys the connection where the host does not.
 */
export class GateSocket extends WebSocket {
  readonly #clock: Clock;
  readonly #client: Client;
  readonly #link: { readonly connection: Socket | null };
  #isOver = false;
  #stopWaiting: (() => void) | null = null;

  constructor(url: URL, { clock, connect, headers, ...options }: GateSocketOptions) {
    const link: { connection: Socket | null } = { connection: null };
    const client = new Client(url.origin, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...result) => {
          link.connection = result[1];
          callback(...result);
        }),
    });
    super(url.href.replace(/^http/, 'ws'), { dispatcher: client, headers: { ...headers } });
    this.#clock = clock;
    this.#client = client;
    this.#link = link;
    this.addEventListener('close', () => {
      this.#isOver = true;
      this.#stopWaiting?.();
      void client.destroy();
    });
  }

  override close(code?: number, reason?: string): void {
    super.close(code, reason);
    if (!this.#isOver) this.#stopWaiting ??= this.#clock.after(CLOSE_TIMEOUT_MS, () => this.destroy());
  }

  destroy(): void {
    this.#link.connection?.destroy();
    void this.#client.destroy();
  }
}
