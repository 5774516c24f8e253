import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type {
  AgentChange,
  Agent as AgentOf,
  AgentSaveHook,
  AgentBody as Body,
} from '../../../conversation/agents/index.ts';
import { NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { AgentsDeps } from './index.ts';
import {
  Agent,
  AgentBody,
  AgentList,
  AgentParams,
  AgentPatch,
  Deleted,
  GetQuery,
  KnowledgeBody,
  SaveQuery,
  ToolsBody,
} from './schemas.ts';
import { showAgent } from './views.ts';

const tags = ['Agents'];
const access = { kind: 'key', scope: 'omni:session' } as const;
export const AGENTS = { access } as const;
const SAVES = {
  access,
  errors: ['voice_not_found', 'unsupported_voice_instruct', 'version_conflict', 'suite_not_passed'] as const,
};
export const PUBLISHES = { access, errors: ['suite_not_passed'] as const };

type Params = { Params: Static<typeof AgentParams> };
type SaveRequest = Params & { Querystring: Static<typeof SaveQuery> };

export function agentIdOf({ agent_id: id }: Static<typeof AgentParams>): string {
  if (!isId('agt', id)) throw new NoSuchError('agent');
  return id;
}

export function agentRoutes(app: FastifyInstance, { agents }: AgentsDeps): void {
  app.get<{ Querystring: PageQuery }>('/v1/agents', {
    config: AGENTS,
    schema: {
      summary: 'List agents, newest first',
      tags,
      querystring: PageQuery,
      response: { 200: AgentList },
    },
    handler: async (request) => {
      const rows = await agents.store.list(request.tenantScope(), request.query, pageStart(request.query));
      const end = ({ createdAt, id }: AgentOf) => ({ createdAt, id });
      return pageOf(rows, request.query, end, showAgent);
    },
  });

  app.post<{ Body: Body; Querystring: Static<typeof SaveQuery> }>('/v1/agents', {
    config: { ...SAVES, idempotent: 'optional' },
    schema: {
      summary: 'Create an agent',
      description: 'The agent is published immediately, unless `draft=true`.',
      tags,
      body: AgentBody,
      querystring: SaveQuery,
      response: { 201: Agent },
    },
    handler: async (request, reply) => {
      const view = await request.once(async (keep) => {
        const { scope, body, query } = {
          scope: request.tenantScope(),
          body: request.body,
          query: request.query,
        };
        const alongside = (...[trx, made]: Parameters<AgentSaveHook>) => keep(trx, showAgent(made));
        const agent = await agents.create(scope, body, query.draft === true, alongside, request.doer());
        return showAgent(agent);
      });
      return reply.code(201).send(view);
    },
  });

  app.get<Params & { Querystring: Static<typeof GetQuery> }>('/v1/agents/:agent_id', {
    config: AGENTS,
    schema: {
      summary: 'Retrieve an agent',
      tags,
      params: AgentParams,
      querystring: GetQuery,
      response: { 200: Agent },
    },
    handler: async (request) => {
      const { version, draft } = request.query;
      const wanted = version ?? (draft === true ? 'newest' : undefined);
      return showAgent(await agents.store.get(request.tenantScope(), agentIdOf(request.params), wanted));
    },
  });

  app.put<SaveRequest & { Body: Body }>('/v1/agents/:agent_id', {
    config: SAVES,
    schema: {
      summary: 'Replace an agent; omitted fields are reset to their defaults',
      tags,
      params: AgentParams,
      body: AgentBody,
      querystring: SaveQuery,
      response: { 200: Agent },
    },
    handler: async (request) => {
      const id = agentIdOf(request.params);
      const { body, query } = request;
      return showAgent(
        await agents.replace(request.tenantScope(), id, body, query.draft === true, request.doer()),
      );
    },
  });

  app.patch<SaveRequest & { Body: AgentChange }>('/v1/agents/:agent_id', {
    config: SAVES,
    schema: {
      summary: 'Update an agent',
      description:
        'A merge patch of the published version, or of the newest version with `draft=true`. Omitted fields are unchanged, and `null` resets a field to its default. A patch that changes nothing creates no version.',
      tags,
      params: AgentParams,
      body: AgentPatch,
      querystring: SaveQuery,
      response: { 200: Agent },
    },
    handler: async (request) => {
      const id = agentIdOf(request.params);
      const { body, query } = request;
      return showAgent(
        await agents.patch(request.tenantScope(), id, body, query.draft === true, request.doer()),
      );
    },
  });

  app.delete<Params>('/v1/agents/:agent_id', {
    config: AGENTS,
    schema: {
      summary: 'Delete an agent and its versions',
      description: 'Active calls of the agent continue, and call records keep its ID.',
      tags,
      params: AgentParams,
      response: { 200: Deleted },
    },
    handler: async (request) => {
      const id = agentIdOf(request.params);
      if (!(await agents.store.delete(request.tenantScope(), id, request.doer())))
        throw new NoSuchError('agent');
      return { id, object: 'agent' as const, deleted: true as const };
    },
  });
  bindingRoutes(app, { agents });
}

function bindingRoutes(app: FastifyInstance, { agents }: Pick<AgentsDeps, 'agents'>): void {
  app.put<Params & { Body: Static<typeof KnowledgeBody> }>('/v1/agents/:agent_id/knowledgebases', {
    config: SAVES,
    schema: {
      summary: 'Replace the knowledge bases of an agent and publish the result as a new version',
      tags,
      params: AgentParams,
      body: KnowledgeBody,
      response: { 200: Agent },
    },
    handler: async (request) => showAgent(await showBinding(agents, request, request.body)),
  });

  app.put<Params & { Body: Static<typeof ToolsBody> }>('/v1/agents/:agent_id/tools', {
    config: SAVES,
    schema: {
      summary: 'Replace the tools of an agent and publish the result as a new version',
      tags,
      params: AgentParams,
      body: ToolsBody,
      response: { 200: Agent },
    },
    handler: async (request) => showAgent(await showBinding(agents, request, request.body)),
  });
}

const showBinding = (
  agents: AgentsDeps['agents'],
  request: FastifyRequest<Params>,
  change: Parameters<AgentsDeps['agents']['bind']>[2],
) => agents.bind(request.tenantScope(), agentIdOf(request.params), change, request.doer());
