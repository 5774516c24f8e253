import { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { UrlGate } from '../../platform/url-gate/index.ts';
import type { ToolAnswer } from '../../session/index.ts';

export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface McpAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const CLIENT = { name: 'trunkline', version: '1.0.0' };
const MAX_BYTES = 1_000_000;
const MAX_PAGES = 10;
const REQUEST_MS = 60_000;
const CONNECT_MS = 5_000;
const CLOSE_MS = 2_000;

/** A connection to an MCP server over Streamable HTTP. It is made when it is first needed. */
export class McpServer {
  readonly #gate: Pick<UrlGate, 'fetch'>;
  readonly #address: McpAddress;
  #connected: Promise<Client> | null = null;

  constructor(gate: Pick<UrlGate, 'fetch'>, address: McpAddress) {
    this.#gate = gate;
    this.#address = address;
  }

  async list(): Promise<McpTool[]> {
    const client = await this.#connect();
    const tools: McpTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: CONNECT_MS });
      for (const { name, description, inputSchema } of answer.tools)
        tools.push({ name, description: description ?? '', parameters: inputSchema });
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    return tools;
  }

  /** Aborting the signal tells the server that the answer is not wanted any more. */
  async call(
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    withinMs: number,
  ): Promise<ToolAnswer> {
    const client = await this.#connect();
    const answer = await client.callTool({ name, arguments: args }, undefined, { signal, timeout: withinMs });
    const content = 'content' in answer ? contentOf(answer.content) : null;
    const result = 'structuredContent' in answer ? (answer.structuredContent ?? content) : content;
    if (answer.isError === true)
      return { error: typeof result === 'string' ? result : JSON.stringify(result) };
    return { result };
  }

  /** The server may forget the session. Never rejects. */
  async close(): Promise<void> {
    const client = await this.#connected?.catch(() => null);
    this.#connected = null;
    if (!client) return;
    const transport = client.transport as StreamableHTTPClientTransport | undefined;
    await transport?.terminateSession().catch(() => undefined);
    await client.close().catch(() => undefined);
  }

  #connect(): Promise<Client> {
    this.#connected ??= this.#open().catch((error: unknown) => {
      this.#connected = null;
      throw error;
    });
    return this.#connected;
  }

  async #open(): Promise<Client> {
    const client = new Client(CLIENT);
    const transport = new StreamableHTTPClientTransport(new URL(this.#address.url), {
      fetch: (url, init) => this.#fetch(String(url), init),
      requestInit: { headers: { ...this.#address.headers }, redirect: 'error' },
      reconnectionOptions: {
        maxReconnectionDelay: 1,
        initialReconnectionDelay: 1,
        reconnectionDelayGrowFactor: 1,
        maxRetries: 0,
      },
    });
    await client.connect(transport as Parameters<Client['connect']>[0], { timeout: CONNECT_MS });
    return client;
  }

  /** Every request leaves through the gate. The stream of notices that a GET would open is not wanted. */
  async #fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const method = init.method ?? 'GET';
    if (method === 'GET') return new Response(null, { status: 405 });
    const response = await this.#gate.fetch(url, {
      method: method as 'POST' | 'DELETE',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      maxBytes: MAX_BYTES,
      timeoutMs: method === 'DELETE' ? CLOSE_MS : REQUEST_MS,
      ...(init.signal ? { signal: init.signal } : {}),
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(response.headers))
      if (value !== undefined) headers.set(name, String(value));
    const empty = response.status === 202 || response.status === 204;
    if (empty) response.body.resume();
    const body = empty ? null : (Readable.toWeb(response.body) as ReadableStream);
    return new Response(body, { status: response.status, headers });
  }
}

/** Text as text; anything else by what it is. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? null;
  const texts = content.map((part: { type?: unknown; text?: unknown }) =>
    part.type === 'text' && typeof part.text === 'string' ? part.text : `(${String(part.type)})`,
  );
  return texts.join('\n');
}
