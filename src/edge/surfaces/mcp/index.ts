import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { HostedOptions, OrphanedAgents } from '../../../apps/testkit/index.ts';
import type { AccessControl } from '../../../foundation/access/contract.ts';
import { grants } from '../../../foundation/access/index.ts';
import type { Surface } from '../../server/surface.ts';
import { type AllowedMcpCallers, checkCaller } from './allowed-callers.ts';
import { describeTools, type McpToolOperation, requestOf } from './operations.ts';
import { TEST_RUN_SCOPES, TestRunTools } from './test-run-tools.ts';

const Message = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String({ maxLength: 256 }), Type.Integer()])),
    method: Type.String({ minLength: 1, maxLength: 256, examples: ['tools/list'] }),
    params: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: false },
);
const Answer = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Unknown()),
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: true },
);

const SERVER_INFO = { name: 'trunkline', version: '1' };
const INSTRUCTIONS =
  'Build and inspect voice agents for phone calls. create_agent and update_agent save and publish a version unless draft is true; get_agent_prompt returns the prompt that the model receives; list_calls and get_call_transcript return calls and transcripts; play_test calls an agent and evaluates its answers.';

export interface McpDeps {
  readonly callers: AllowedMcpCallers;
  readonly playing: HostedOptions;
  readonly watch: AccessControl['watchRevocation'];
  readonly agents: OrphanedAgents;
}

export function createMcpSurface(deps: McpDeps): Surface {
  const tests = new TestRunTools(deps.playing);
  return {
    name: 'mcp',
    routes: (app) => serveMcp(app, deps, tests),
    start: () => deps.agents.sweep(),
    stop: () => tests.stop(),
  };
}

function serveMcp(app: FastifyInstance, deps: McpDeps, tests: TestRunTools): void {
  let tools: Promise<McpToolOperation[]> | undefined;
  app.post<{ Body: Static<typeof Message> }>('/mcp', {
    config: { access: { kind: 'key' }, errors: ['forbidden', 'origin_not_allowed'] },
    schema: {
      summary: 'Send one message of the Model Context Protocol (Streamable HTTP, without sessions)',
      description:
        'The tools are operations of this API, which are called with the API key of the request. Only tools that the key’s scopes allow are listed. Each tool call also counts as a request of its operation.',
      tags: ['MCP'],
      body: Message,
      response: { 200: Answer, 202: { description: 'The notification was accepted.', content: {} } },
    },
    onRequest: async ({ headers }) => checkCaller(headers, deps.callers),
    handler: async (request, reply) => {
      tools ??= describeTools(app);
      const server = serverFor(app, request, await tools, { tests, deps });
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      try {
        const answer = await transport.handleRequest(asWeb(request), { parsedBody: request.body });
        if (answer.status === 202) return await reply.code(202).send();
        return await reply.code(200).send(JSON.parse(await answer.text()));
      } finally {
        await server.close();
      }
    },
  });
}

/** A client of a protocol older than the transport knows gets the newest one, as the protocol allows. */
const asWeb = (request: FastifyRequest): Request =>
  new Request('http://mcp.invalid/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(request.body),
  });

function serverFor(
  app: FastifyInstance,
  request: FastifyRequest,
  all: readonly McpToolOperation[],
  playing: TestRunAccess,
): Server {
  const { scopes } = request.caller();
  const mayPlay = TEST_RUN_SCOPES.every((scope) => grants(scopes, scope));
  const open = all.filter(({ scope }) => scope === undefined || grants(scopes, scope));
  const { tests } = playing;
  const server = new Server(SERVER_INFO, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...open.map(({ definition }) => definition), ...(mayPlay ? tests.definitions : [])],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    if (tests.has(params.name)) return await runTestTool(playing, request, params, mayPlay);
    const tool = all.find(({ name }) => name === params.name);
    if (tool === undefined) return toToolResult(`There is no tool ${params.name.slice(0, 100)}.`, true);
    const { method } = tool;
    const { url, payload } = requestOf(tool, params.arguments ?? {});
    const answer = await app.inject({
      method,
      url,
      remoteAddress: request.ip,
      headers: credentialOf(request),
      ...(payload === undefined ? {} : { payload }),
    });
    return toToolResult(answer.body, answer.statusCode >= 400);
  });
  return server;
}

interface TestRunAccess {
  readonly tests: TestRunTools;
  readonly deps: McpDeps;
}

async function runTestTool(
  { tests, deps }: TestRunAccess,
  request: FastifyRequest,
  { name, arguments: given = {} }: { name: string; arguments?: Record<string, unknown> },
  mayPlay: boolean,
) {
  if (!mayPlay) {
    const message = `The key needs the scopes ${TEST_RUN_SCOPES.join(', ')}.`;
    return toToolResult(JSON.stringify({ error: { code: 'forbidden', message, param: null } }), true);
  }
  const { org, project, environment } = request.tenantScope();
  const place = { org_id: org, project_id: project, environment };
  const who = request.caller();
  const { body, isError } = await tests.call(name, given, {
    owner: `${place.org_id} ${place.project_id} ${place.environment}`,
    key: keyOf(request),
    watch: (onDead) => deps.watch(who, onDead),
    madeAgent: (id) => deps.agents.note(place, id),
    removeAgent: (id) => deps.agents.remove(place, id),
  });
  return toToolResult(JSON.stringify(body), isError);
}

const toToolResult = (text: string, isError: boolean) => ({
  content: [{ type: 'text' as const, text }],
  isError,
});

function credentialOf({ headers }: FastifyRequest): Record<string, string> {
  const { authorization, 'x-api-key': key } = headers;
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(typeof key === 'string' ? { 'x-api-key': key } : {}),
  };
}

const keyOf = (request: FastifyRequest): string => {
  const { authorization = '', 'x-api-key': key = '' } = credentialOf(request);
  return authorization.replace(/^Bearer +/i, '') || key;
};
