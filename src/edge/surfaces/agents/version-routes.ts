import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { buildAgentPrompt } from '../../../conversation/agents/index.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import { AGENTS, agentIdOf, PUBLISHES } from './agent-routes.ts';
import type { AgentsDeps } from './index.ts';
import { Agent, AgentParams, GetQuery, Prompt, PublishBody, TrafficBody, Versions } from './schemas.ts';
import { showAgent, showVersion } from './views.ts';

const tags = ['Agents'];
type Params = { Params: Static<typeof AgentParams> };

export function versionRoutes(app: FastifyInstance, { agents, tools, clock, timeZone }: AgentsDeps): void {
  app.get<Params & { Querystring: WholeQuery }>('/v1/agents/:agent_id/versions', {
    config: AGENTS,
    schema: {
      summary: 'List the versions of an agent, newest first',
      tags,
      params: AgentParams,
      querystring: WholeQuery,
      response: { 200: Versions },
    },
    handler: async (request) => {
      const id = agentIdOf(request.params);
      const agent = await agents.store.get(request.tenantScope(), id);
      const versions = await agents.store.versions(request.tenantScope(), id);
      return pageOfWhole(
        versions,
        request.query,
        ({ version }) => String(version),
        (version) => showVersion(agent, version),
      );
    },
  });

  app.post<Params & { Body: Static<typeof PublishBody> }>('/v1/agents/:agent_id/publish', {
    config: PUBLISHES,
    schema: {
      summary: 'Publish a version: a draft, or an earlier version to roll back',
      tags,
      params: AgentParams,
      body: PublishBody,
      response: { 200: Agent },
    },
    handler: async (request) => {
      const id = agentIdOf(request.params);
      return showAgent(
        await agents.store.publish(request.tenantScope(), id, request.body.version, request.doer()),
      );
    },
  });

  app.put<Params & { Body: Static<typeof TrafficBody> }>('/v1/agents/:agent_id/traffic', {
    config: PUBLISHES,
    schema: {
      summary: 'Split calls among versions',
      tags,
      params: AgentParams,
      body: TrafficBody,
      response: { 200: Agent },
    },
    handler: async (request) => {
      const id = agentIdOf(request.params);
      return showAgent(await agents.store.share(request.tenantScope(), id, request.body, request.doer()));
    },
  });

  app.get<Params & { Querystring: Static<typeof GetQuery> }>('/v1/agents/:agent_id/prompt', {
    config: AGENTS,
    schema: {
      summary: 'Get the prompt and tools that the model receives',
      tags,
      params: AgentParams,
      querystring: GetQuery,
      response: { 200: Prompt },
    },
    handler: async (request) => {
      const { version, draft } = request.query;
      const wanted = version ?? (draft === true ? 'newest' : undefined);
      const scope = request.tenantScope();
      const agent = await agents.store.get(scope, agentIdOf(request.params), wanted);
      const descriptions = await tools.descriptionsFor(scope, agent.fields);
      const system = buildAgentPrompt(agent, { now: clock.now(), timeZone }, descriptions);
      return {
        object: 'agent.prompt' as const,
        agent_id: agent.id,
        version: agent.version,
        system,
        tools: [...descriptions],
      };
    },
  });
}
