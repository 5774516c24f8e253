import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { AgentTestRunRow } from '../../../foundation/storage/tables/agents.ts';
import { AGENTS, agentIdOf } from './agent-routes.ts';
import type { AgentsDeps } from './index.ts';
import { Agent, AgentParams, Run, RunBody, Runs, SuiteBody } from './schemas.ts';
import { showAgent } from './views.ts';

const tags = ['Agents'];
type Params = { Params: Static<typeof AgentParams> };

const showRun = (row: AgentTestRunRow) => ({
  id: row.id,
  object: 'agent.test_run' as const,
  agent_id: row.agent_id,
  version: Number(row.version),
  suite: row.suite,
  passed: Number(row.failed) === 0,
  scenarios: Number(row.scenarios),
  failed: Number(row.failed),
  created_at: Number(row.created_at),
});

export function testRoutes(app: FastifyInstance, { agents, runs }: AgentsDeps): void {
  app.put<Params & { Body: Static<typeof SuiteBody> }>('/v1/agents/:agent_id/required-suite', {
    config: AGENTS,
    schema: {
      summary: 'Require a test suite; versions that have not passed it cannot be published',
      description:
        'null removes the requirement. Published versions stay published. Saving without `draft=true` also publishes, and is therefore subject to the requirement.',
      tags,
      params: AgentParams,
      body: SuiteBody,
      response: { 200: Agent },
    },
    handler: async (request) => {
      const id = agentIdOf(request.params);
      return showAgent(
        await agents.store.requireSuite(request.tenantScope(), id, request.body.suite, request.doer()),
      );
    },
  });
  app.post<Params & { Body: Static<typeof RunBody> }>('/v1/agents/:agent_id/test-runs', {
    config: AGENTS,
    schema: {
      summary: 'Record the result of a test suite that ran against a version',
      description: 'Every call in `call_ids` must have ended and must have been served by this version.',
      tags,
      params: AgentParams,
      body: RunBody,
      response: { 201: Run },
    },
    handler: async (request, reply) => {
      const scope = request.tenantScope();
      const agent = await agents.store.get(scope, agentIdOf(request.params), request.body.version);
      const run = await runs.add(scope, agent.id, request.body, request.doer());
      return reply.code(201).send(showRun(run));
    },
  });
  app.get<Params & { Querystring: PageQuery }>('/v1/agents/:agent_id/test-runs', {
    config: AGENTS,
    schema: {
      summary: 'List test-suite runs of an agent, newest first',
      tags,
      params: AgentParams,
      querystring: PageQuery,
      response: { 200: Runs },
    },
    handler: async (request) => {
      const scope = request.tenantScope();
      const { id } = await agents.store.get(scope, agentIdOf(request.params));
      const rows = await runs.list(scope, id, request.query, pageStart(request.query));
      const end = (row: AgentTestRunRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, request.query, end, showRun);
    },
  });
}
