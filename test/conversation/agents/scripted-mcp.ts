import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Request {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly cursor?: string };
}

type Script = (asked: Request, response: ServerResponse) => unknown;

export class ScriptedMcp {
  readonly asked: Request[] = [];
  readonly #server;

  private constructor(script: Script, initialized: string) {
    this.#server = createServer(
      (request, response) => void this.#answer(request, response, script, initialized),
    );
  }

  /** `initialized` is the server's own answer to `initialize`, as JSON. */
  static async start(script: Script, initialized = JSON.stringify(INITIALIZED)): Promise<ScriptedMcp> {
    const made = new ScriptedMcp(script, initialized);
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    onTestFinished(() => {
      made.#server.closeAllConnections();
      made.#server.close();
    });
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    script: Script,
    initialized: string,
  ): Promise<void> {
    response.on('error', () => {});
    const asked = JSON.parse(await text(request)) as Request;
    this.asked.push(asked);
    if (asked.method === undefined || asked.id === undefined) return void response.writeHead(202).end();
    if (asked.method === 'initialize') return said(response, asked.id, initialized);
    const result = await script(asked, response);
    if (result !== undefined) said(response, asked.id, JSON.stringify(result));
  }
}

const INITIALIZED = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'scripted', version: '1' },
};

export function said(response: ServerResponse, id: number, result: string): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
}

async function text(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return parts.length === 0 ? '{}' : Buffer.concat(parts).toString();
}
