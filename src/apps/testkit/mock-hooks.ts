import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MockAnswers, type Mocks } from './mock-answers.ts';
import { toolOf } from './mocked-tools.ts';
import type { ServerApi } from './server-api.ts';
import type { MockAnswer } from './suite.ts';

const LONGEST_MS = 30_000;
const USUAL_MS = 5000;

/**
 * Serves mocks of the agent's tools as local webhooks, because a telephone call has no client that could answer them.
 */
export class MockHooks {
  readonly #api: ServerApi;
  readonly #mocks: Mocks;
  readonly #server: Server;
  readonly #tools: string[] = [];
  #answers: MockAnswers;

  private constructor(api: ServerApi, mocks: Mocks) {
    this.#api = api;
    this.#mocks = mocks;
    this.#answers = new MockAnswers(mocks);
    // Any local process may send requests, so an invalid one does not end the run.
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => void response.writeHead(400).end());
    });
  }

  /** The agent keeps the tools until its removal, because the suite created it. */
  static async give(api: ServerApi, agentId: string, mocks: Mocks): Promise<MockHooks> {
    const hooks = new MockHooks(api, mocks);
    await new Promise<void>((resolve) => hooks.#server.listen(0, '127.0.0.1', resolve));
    try {
      await hooks.#give(agentId);
    } catch (error) {
      await hooks.takeBack();
      throw error;
    }
    return hooks;
  }

  renew(): void {
    this.#answers = new MockAnswers(this.#mocks);
  }

  async takeBack(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    for (const id of this.#tools.splice(0)) await this.#api.lasting.send('DELETE', `/v1/tools/${id}`);
  }

  async #give(agentId: string): Promise<void> {
    const { lasting } = this.#api;
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
    for (const [name, mock] of Object.entries(this.#mocks)) {
      const delays = [mock, ...(mock.answers ?? [])].map(({ delay_ms = 0 }) => delay_ms);
      const timeout_ms = Math.min(LONGEST_MS, Math.max(...delays) + USUAL_MS);
      const tool = { ...toolOf(name, mock), kind: 'webhook', url, timeout_ms };
      this.#tools.push((await lasting.send<{ id: string }>('POST', '/v1/tools', tool)).id);
    }
    const path = `/v1/agents/${agentId}`;
    const { tool_ids } = await lasting.send<{ tool_ids: string[] }>('GET', path);
    await lasting.send('PUT', `${path}/tools`, { tool_ids: [...tool_ids, ...this.#tools] });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: Called };
    const found = this.#answers.next(data.name, data.arguments);
    if (found === null) return void response.writeHead(404).end();
    setTimeout(() => answer(response, found), found.delay_ms ?? 0);
  }
}

interface Called {
  readonly name: string;
  readonly arguments: unknown;
}

function answer(response: ServerResponse, { error, result }: MockAnswer): void {
  if (error !== undefined) return void response.writeHead(500).end();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(result ?? {}));
}
