import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { nestsWithin } from '../../../foundation/platform/nesting.ts';
import type { UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import type { ToolAnswer } from '../../session/index.ts';
import { type McpAddress, McpTransport } from './mcp-transport.ts';

export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

const CLIENT = { name: 'trunkline', version: '1.0.0' };
const MAX_PAGES = 10;
const MAX_TOOLS = 1_000;
/** A longer description is truncated, because it would fill the model's context. */
const MAX_DESCRIPTION_CHARACTERS = 4_096;
const MAX_LEVELS = 32;
const MAX_PARTS = 1_000;
const CONNECT_MS = 5_000;

/** A result goes to the model unchanged, so the SDK needs no schema validator. */
const NO_VALIDATION = {
  getValidator: () => (input: unknown) => ({
    valid: true as const,
    data: input as never,
    errorMessage: undefined,
  }),
};

export class McpServer {
  readonly #gate: Pick<UrlGate, 'fetch'>;
  readonly #address: McpAddress;
  #connected: Promise<Client> | null = null;

  constructor(gate: Pick<UrlGate, 'fetch'>, address: McpAddress) {
    this.#gate = gate;
    this.#address = address;
  }

  async list(allowed: ReadonlySet<string>): Promise<McpTool[]> {
    const client = await this.#connect();
    const tools: McpTool[] = [];
    let listed = 0;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const asked = { method: 'tools/list' as const, params };
      const answer = await client.request(asked, ResultSchema, { timeout: CONNECT_MS });
      if (!Array.isArray(answer.tools)) throw new Error('the MCP server sent no list of tools');
      listed += answer.tools.length;
      if (listed > MAX_TOOLS) throw new Error(`the MCP server lists more than ${MAX_TOOLS} tools`);
      tools.push(...answer.tools.map(toolOf).filter(({ name }) => allowed.has(name)));
      if (typeof answer.nextCursor !== 'string') break;
      cursor = answer.nextCursor;
    }
    return tools;
  }

  /** Aborting the signal sends the server a cancellation. */
  async call(
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    withinMs: number,
  ): Promise<ToolAnswer> {
    const client = await this.#connect();
    const asked = { method: 'tools/call' as const, params: { name, arguments: args } };
    const answer = await client.request(asked, ResultSchema, { signal, timeout: withinMs });
    if (!nestsWithin(MAX_LEVELS, answer))
      return { error: `the response is nested more than ${MAX_LEVELS} levels deep` };
    const result = answer.structuredContent ?? contentOf(answer.content);
    if (answer.isError === true)
      return { error: typeof result === 'string' ? result : JSON.stringify(result) };
    return { result };
  }

  /** Asks the server to end the session. Never rejects. */
  async close(): Promise<void> {
    const client = await this.#connected?.catch(() => null);
    this.#connected = null;
    await client?.close().catch(() => undefined);
  }

  #connect(): Promise<Client> {
    this.#connected ??= this.#open().catch((error: unknown) => {
      this.#connected = null;
      throw error;
    });
    return this.#connected;
  }

  async #open(): Promise<Client> {
    const client = new Client(CLIENT, { jsonSchemaValidator: NO_VALIDATION });
    const transport = new McpTransport(this.#gate, this.#address);
    await client.connect(transport as Transport, { timeout: CONNECT_MS });
    return client;
  }
}

function toolOf(listed: unknown): McpTool {
  const { name, description, inputSchema } = (listed ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || typeof inputSchema !== 'object' || inputSchema === null)
    throw new Error('the MCP server lists a tool without a name or an input schema');
  return {
    name,
    description: typeof description === 'string' ? shortened(description) : '',
    parameters: inputSchema as McpTool['parameters'],
  };
}

const shortened = (description: string): string =>
  description.length <= MAX_DESCRIPTION_CHARACTERS
    ? description
    : `${description.slice(0, MAX_DESCRIPTION_CHARACTERS - 1)}…`;

/** Returns text parts as they are and names the type of any other part. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? null;
  const texts = content.slice(0, MAX_PARTS).map((part: { type?: unknown; text?: unknown } | null) => {
    if (part?.type === 'text' && typeof part.text === 'string') return part.text;
    return typeof part?.type === 'string' ? `(${part.type})` : '(unknown)';
  });
  return texts.join('\n');
}
