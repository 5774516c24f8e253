import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { FLOW_DOCUMENT_SCHEMA, PROBLEM_CODES } from '../../../conversation/flows/index.ts';
import { AGENTS, agentIdOf } from './agent-routes.ts';
import type { AgentsDeps } from './index.ts';
import { AgentParams } from './schemas.ts';

const tags = ['Agents'];
const CheckBody = Type.Object(
  {
    flow: Type.Record(Type.String(), Type.Unknown(), {
      description: 'any document; what is wrong with it is what is asked',
    }),
  },
  { additionalProperties: false },
);
const Checked = Type.Object({
  ok: Type.Boolean(),
  problems: Type.Array(
    Type.Object({
      node: Type.String({ description: 'a node, an edge as `from -> to`, or nothing: the flow as a whole' }),
      code: Type.Enum([...PROBLEM_CODES]),
      detail: Type.String(),
    }),
  ),
});
const Schema = Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of a flow' });

export function flowRoutes(app: FastifyInstance, { agents }: AgentsDeps): void {
  app.get('/v1/flows/schema', {
    config: AGENTS,
    schema: { summary: 'The JSON Schema of a flow', tags, response: { 200: Schema } },
    handler: async () => FLOW_DOCUMENT_SCHEMA,
  });

  app.post<{ Params: Static<typeof AgentParams>; Body: Static<typeof CheckBody> }>(
    '/v1/agents/:agent_id/flow/check',
    {
      config: AGENTS,
      schema: {
        summary: 'What is wrong with a flow, were it saved with this agent',
        description:
          'Nothing is saved. Saving an agent makes the same check, and refuses a flow with a problem.',
        tags,
        params: AgentParams,
        body: CheckBody,
        response: { 200: Checked },
      },
      handler: async (request) => {
        const id = agentIdOf(request.params);
        const problems = await agents.flowProblems(request.tenantScope(), id, request.body.flow);
        return { ok: problems.length === 0, problems: [...problems] };
      },
    },
  );
}
