import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
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
/** A longer description would fill the model's context and is dropped. */
const MAX_DESCRIPTION_CHARACTERS = 4_096;
const MAX_LEVELS = 32;
const CONNECT_MS = 5_000;

/**
 * The SDK compiles every `outputSchema` that a server lists, with native regular expressions: 3,000 properties took it 14 s, and
 * `^(a+)+$` holds it for as long as the server likes. A result goes to the model as it is, so nothing of it is validated.
 */
const NO_VALIDATION = {
  getValidator: () => (input: unknown) => ({
    valid: true as const,
    data: input as never,
    errorMessage: undefined,
  }),
};

/** A connection to an MCP server over Streamable HTTP. It is made when it is first needed. */
export class McpServer {
  readonly #gate: Pick<UrlGate, 'fetch'>;
  readonly #address: McpAddress;
  #connected: Promise<Client> | null = null;

  constructor(gate: Pick<UrlGate, 'fetch'>, address: McpAddress) {
    this.#gate = gate;
    this.#address = address;
  }

  /** Those of the names that the server offers. */
  async list(allowed: ReadonlySet<string>): Promise<McpTool[]> {
    const client = await this.#connect();
    const tools: McpTool[] = [];
    let listed = 0;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: CONNECT_MS });
      listed += answer.tools.length;
      if (listed > MAX_TOOLS) throw new Error(`the MCP server lists over ${MAX_TOOLS} tools`);
      for (const { name, description = '', inputSchema } of answer.tools)
        if (allowed.has(name))
          tools.push({ name, description: shortened(description), parameters: inputSchema });
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
    if (!nestsWithin(MAX_LEVELS, answer)) return { error: `the answer nests over ${MAX_LEVELS} levels deep` };
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

const shortened = (description: string): string =>
  description.length <= MAX_DESCRIPTION_CHARACTERS
    ? description
    : `${description.slice(0, MAX_DESCRIPTION_CHARACTERS - 1)}…`;

/** Text as text; anything else by what it is. */
function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? null;
  const texts = content.map((part: { type?: unknown; text?: unknown }) =>
    part.type === 'text' && typeof part.text === 'string' ? part.text : `(${String(part.type)})`,
  );
  return texts.join('\n');
}
