import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export class Receiver {
  readonly received: Received[] = [];
  readonly #events = new EventEmitter();
  answer: (request: Received, response: ServerResponse) => void = (_request, response) =>
    response.writeHead(204).end();
  readonly #server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const received = { path: request.url ?? '', headers: request.headers, body };
    this.received.push(received);
    this.answer(received, response);
    this.#events.emit('received');
  });

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async count(count: number): Promise<void> {
    while (this.received.length < count) await once(this.#events, 'received');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
