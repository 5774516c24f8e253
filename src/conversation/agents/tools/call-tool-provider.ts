import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import type { BrainTool } from '../../brains/index.ts';
import type { SessionTool } from '../../session/index.ts';
import type { AgentFields } from '../fields.ts';
import type { ToolFields } from './fields.ts';
import { McpServer, type McpTool } from './mcp-server.ts';
import type { Tool, ToolStore } from './tool-store.ts';
import { LATE_MS, type WebhookToolDeps, webhookTool } from './webhook-tool.ts';

export interface ToolCallContext {
  readonly scope: TenantScope;
  readonly callId: string;
  readonly agentId: string | null;
  readonly sessionLabel: string | null;
  readonly externalId: string | null;
}

export interface CallTools {
  readonly tools: readonly SessionTool[];
  readonly faults: readonly string[];
  close(): Promise<void>;
}

export interface ToolSource {
  forCall(fields: Pick<AgentFields, 'tool_ids'>, call: ToolCallContext): Promise<CallTools>;
}

export interface CallToolProviderDeps extends WebhookToolDeps {
  readonly store: ToolStore;
  readonly clock: Clock;
}

/** A server's list of tools is cached this long, so that a call starts without another request. */
const TOOL_LIST_TTL_MS = 60_000;
const MAX_CACHED_TOOL_LISTS = 500;
const MAX_FAULT_CHARACTERS = 300;

export class CallToolProvider implements ToolSource {
  readonly #deps: CallToolProviderDeps;
  readonly #known = new Map<string, { readonly at: number; readonly tools: readonly McpTool[] }>();

  constructor(deps: CallToolProviderDeps) {
    this.#deps = deps;
  }

  async forCall(fields: Pick<AgentFields, 'tool_ids'>, call: ToolCallContext): Promise<CallTools> {
    const stored = await this.#deps.store.among(call.scope, fields.tool_ids);
    const servers: McpServer[] = [];
    const faults: string[] = [];
    const made = await Promise.all(
      stored.map(async (tool) => {
        try {
          return await this.#toolsOf(tool, call, servers);
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error);
          faults.push(`${tool.fields.name}: ${message.slice(0, MAX_FAULT_CHARACTERS)}`);
          return [];
        }
      }),
    );
    const close = async () => void (await Promise.all(servers.map((server) => server.close())));
    return { tools: made.flat(), faults, close };
  }

  /** Describes the tools as a model sees them; servers that do not answer are left out. */
  async descriptionsFor(
    scope: TenantScope,
    fields: Pick<AgentFields, 'tool_ids'>,
  ): Promise<(BrainTool & { parameters: Record<string, unknown> })[]> {
    const call = { scope, callId: '', agentId: null, sessionLabel: null, externalId: null };
    const { tools, close } = await this.forCall(fields, call);
    await close();
    return tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters: { ...parameters },
    }));
  }

  async #toolsOf(tool: Tool, call: ToolCallContext, servers: McpServer[]): Promise<SessionTool[]> {
    const { fields } = tool;
    if (fields.kind !== 'mcp') {
      const run = fields.kind === 'webhook' ? { run: webhookTool(this.#deps, fields, call) } : {};
      return [{ ...sessionTool(fields), ...run }];
    }
    const server = new McpServer(this.#deps.gate, { url: fields.url ?? '', headers: fields.headers });
    servers.push(server);
    const allowed = new Set(fields.allow ?? []);
    const offered = allowed.size === 0 ? [] : await this.#discover(tool, server, allowed);
    return offered.map(({ name, description, parameters }) => ({
      ...sessionTool({ ...fields, name: named(name), description, parameters: { ...parameters } }),
      run: ({ arguments: args }, signal) => server.call(name, args, signal, fields.timeout_ms + LATE_MS),
    }));
  }

  async #discover(
    { id, updatedAt }: Tool,
    server: McpServer,
    allowed: ReadonlySet<string>,
  ): Promise<readonly McpTool[]> {
    const key = `${id} ${updatedAt}`;
    const now = this.#deps.clock.monotonic();
    const known = this.#known.get(key);
    if (known !== undefined && now - known.at < TOOL_LIST_TTL_MS) return known.tools;
    const tools = await server.list(allowed);
    this.#known.delete(key);
    this.#known.set(key, { at: now, tools });
    if (this.#known.size > MAX_CACHED_TOOL_LISTS)
      this.#known.delete(this.#known.keys().next().value as string);
    return tools;
  }
}

/** Models accept only these characters in a tool's name. */
const named = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);

const sessionTool = (fields: ToolFields): SessionTool => ({
  name: fields.name,
  description: fields.description,
  parameters: fields.parameters,
  timeoutMs: fields.timeout_ms,
  filler: fields.filler,
  confirm: fields.confirm,
});
