import { createServer, type Server } from 'node:net';

export interface HaproxyAgentCheckOptions {
  readonly host: string;
  readonly port: number;
  readonly isServing: () => Promise<boolean>;
  readonly freeShare: () => number;
  readonly onError: (error: unknown) => void;
}

const MAX_CONNECTIONS = 64;
const ANSWER_WITHIN_MS = 2_000;

/**
 * Answers the agent check of HAProxy: `drain` while the node drains, so that its running calls go on, else its weight
 * as the share of free calls.
 */
export class HaproxyAgentCheck {
  readonly #options: HaproxyAgentCheckOptions;
  readonly #server: Server;

  constructor(options: HaproxyAgentCheckOptions) {
    this.#options = options;
    this.#server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
      this.#answer().then(
        (line) => socket.end(`${line}\n`),
        (error: unknown) => {
          options.onError(error);
          socket.destroy();
        },
      );
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  async start(): Promise<number> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    this.#server.on('error', this.#options.onError);
    this.#server.unref();
    return (this.#server.address() as { port: number }).port;
  }

  stop(): void {
    this.#server.close();
  }

  async #answer(): Promise<string> {
    if (!(await this.#options.isServing())) return 'drain';
    return `ready up ${Math.max(1, Math.round(100 * this.#options.freeShare()))}%`;
  }
}
