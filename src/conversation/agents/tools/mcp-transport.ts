import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { serverSentData } from '../../../foundation/platform/server-sent-events.ts';
import type { GateResponse, UrlGate } from '../../../foundation/platform/url-gate/index.ts';

export interface McpAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const MAX_BYTES = 1_000_000;
/** The limit covers all answers of a connection together: the pages of tools and the results of calls. */
const MAX_CONNECTION_BYTES = 8_000_000;
const REQUEST_MS = 60_000;
const CLOSE_MS = 2_000;
const MAX_PINGS = 8;
const MAX_SESSION_CHARACTERS = 1_024;
const MAX_FAULT_CHARACTERS = 300;
const MAX_VERSION_CHARACTERS = 64;

/** Only these fields of a result are parsed, by the method of the request. */
const RESULT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'tools/list': ['tools', 'nextCursor'],
  'tools/call': ['content', 'structuredContent', 'isError'],
};

type Message = JSONRPCMessage & { id?: unknown; method?: unknown; params?: unknown };

/**
 * Speaks Streamable HTTP to a tenant's server, through the URL gate. The client gets only the answer to its request
 * and a few pings: batches, notifications and the server's own requests are dropped, so they cost this process no
 * time.
 */
export class McpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #gate: Pick<UrlGate, 'fetch'>;
  readonly #address: McpAddress;
  readonly #closed = new AbortController();
  readonly #reading = new Map<unknown, AbortController>();
  #session: string | null = null;
  #version: string | null = null;
  #bytesLeft = MAX_CONNECTION_BYTES;

  constructor(gate: Pick<UrlGate, 'fetch'>, address: McpAddress) {
    this.#gate = gate;
    this.#address = address;
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
  }

  async start(): Promise<void> {}

  async send(sent: JSONRPCMessage): Promise<void> {
    const message = sent as Message;
    const asks = message.id !== undefined && message.method !== undefined;
    if (message.method === 'notifications/cancelled') this.#giveUp(message.params);
    const stop = new AbortController();
    if (asks) this.#reading.set(message.id, stop);
    try {
      const signal = AbortSignal.any([this.#closed.signal, stop.signal]);
      const response = await this.#post(JSON.stringify(message), signal);
      if (asks) await this.#read(response, message.id, String(message.method));
      else response.body.destroy();
    } finally {
      if (asks) this.#reading.delete(message.id);
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new Error('the connection was closed'));
    if (this.#session !== null) await this.#endSession().catch(() => undefined);
    this.onclose?.();
  }

  async #post(body: string, signal: AbortSignal): Promise<GateResponse> {
    const response = await this.#gate.fetch(this.#address.url, {
      method: 'POST',
      headers: {
        ...this.#headers(),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body,
      maxBytes: Math.min(MAX_BYTES, this.#bytesLeft),
      timeoutMs: REQUEST_MS,
      signal,
    });
    if (response.status < 200 || response.status > 299) {
      response.body.destroy();
      throw new Error(`the MCP server answered ${response.status}`);
    }
    const session = response.headers['mcp-session-id'];
    if (typeof session === 'string' && session.length <= MAX_SESSION_CHARACTERS) this.#session = session;
    return response;
  }

  async #read(response: GateResponse, id: unknown, method: string): Promise<void> {
    let pings = 0;
    try {
      for await (const text of this.#texts(response)) {
        // The first event of a resumable stream is empty.
        if (text === '') continue;
        const message = JSON.parse(text) as Message | null;
        if (message?.id === id && message?.method === undefined)
          return this.onmessage?.(answerOf(message, id as number, method));
        if (message?.method === 'ping' && isRequestId(message.id) && ++pings <= MAX_PINGS)
          this.onmessage?.({ jsonrpc: '2.0', id: message.id, method: 'ping' });
      }
    } finally {
      response.body.destroy();
    }
    throw new Error('the MCP server ended without an answer');
  }

  #texts({ headers, body }: GateResponse): AsyncIterable<string> {
    const type = String(headers['content-type'] ?? '')
      .split(';', 1)[0]!
      .trim()
      .toLowerCase();
    const bytes = this.#counted(body);
    if (type === 'text/event-stream')
      return serverSentData(bytes, { eventCharacters: MAX_BYTES, bytes: MAX_BYTES });
    if (type === 'application/json') return whole(bytes);
    throw new Error(`the MCP server answered ${type.slice(0, MAX_FAULT_CHARACTERS) || 'no content type'}`);
  }

  async *#counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      this.#bytesLeft -= chunk.byteLength;
      yield chunk;
    }
  }

  #giveUp(params: unknown): void {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    this.#reading.get(requestId)?.abort(new Error('the call was cancelled'));
  }

  async #endSession(): Promise<void> {
    const { body } = await this.#gate.fetch(this.#address.url, {
      method: 'DELETE',
      headers: this.#headers(),
      maxBytes: MAX_BYTES,
      statusOnly: true,
      timeoutMs: CLOSE_MS,
    });
    body.destroy();
  }

  #headers(): Record<string, string> {
    return {
      ...this.#address.headers,
      ...(this.#session === null ? {} : { 'mcp-session-id': this.#session }),
      ...(this.#version === null ? {} : { 'mcp-protocol-version': this.#version }),
    };
  }
}

const isRequestId = (id: unknown): id is string | number =>
  Number.isInteger(id) || (typeof id === 'string' && id.length <= MAX_SESSION_CHARACTERS);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the answer with only the fields in use. The SDK's schemas collect an error for each wrong part of a
 * document: a megabyte of empty objects took them 11 s.
 */
function answerOf(message: unknown, id: number, method: string): JSONRPCMessage {
  const { result, error } = message as { result?: unknown; error?: unknown };
  if (isObject(error)) {
    const code = Number.isInteger(error.code) ? (error.code as number) : 0;
    const text = typeof error.message === 'string' ? error.message.slice(0, MAX_FAULT_CHARACTERS) : '';
    return { jsonrpc: '2.0', id, error: { code, message: text } };
  }
  if (!isObject(result)) throw new Error('the MCP server sent neither a result nor an error');
  if (method === 'initialize') return { jsonrpc: '2.0', id, result: initialized(result) };
  const fields = RESULT_FIELDS[method] ?? [];
  return { jsonrpc: '2.0', id, result: Object.fromEntries(fields.map((name) => [name, result[name]])) };
}

function initialized({ protocolVersion }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof protocolVersion !== 'string' || protocolVersion.length > MAX_VERSION_CHARACTERS)
    throw new Error('the MCP server did not return a protocol version');
  return { protocolVersion, capabilities: {}, serverInfo: { name: '', version: '' } };
}

async function* whole(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const parts: Uint8Array[] = [];
  for await (const part of chunks) parts.push(part);
  yield Buffer.concat(parts).toString('utf8');
}
