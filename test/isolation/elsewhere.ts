import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Elsewhere {
  readonly url: string;
  readonly received: string[];
  close(): Promise<void>;
}

export async function echoing(status: number): Promise<Elsewhere> {
  const received: string[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push(body);
      const said = { error: { message: `not this: ${body}`, code: 'content_policy_violation' } };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
