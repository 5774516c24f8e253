import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Lookup } from '../../../conversation/agents/index.ts';
import {
  AWAITED,
  SERVED_LANGUAGES,
  type SimulatedEvent,
  type Simulation,
  SimulationError,
  simulateInWorker,
} from '../../../conversation/calls/index.ts';
import { FLOW_DOCUMENT_SCHEMA, type Flow, PROBLEM_CODES } from '../../../conversation/flows/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { AGENTS, agentIdOf } from './agent-routes.ts';
import type { AgentsDeps } from './index.ts';
import { AgentParams } from './schemas.ts';

const tags = ['Agents'];
const CheckBody = Type.Object(
  {
    flow: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The flow to check. Any object is accepted; the response lists its problems.',
    }),
  },
  { additionalProperties: false },
);
const Checked = Type.Object({
  ok: Type.Boolean(),
  problems: Type.Array(
    Type.Object({
      node: Type.String({
        description:
          'The node, or an edge as `from -> to`. Empty if the problem concerns the flow as a whole.',
      }),
      code: Type.Enum([...PROBLEM_CODES]),
      detail: Type.String(),
    }),
  ),
});
const Schema = Type.Record(Type.String(), Type.Unknown(), { description: 'The JSON Schema of a flow.' });

const MOST_EVENTS = 200;
const MOST_RESULT = 16_000;
const happens = <K extends string, P extends Parameters<typeof Type.Object>[0]>(kind: K, properties: P) =>
  Type.Object({ kind: Type.Literal(kind), ...properties }, { additionalProperties: false });
const Event = Type.Union([
  happens('said', { text: Type.String({ minLength: 1, maxLength: 1000 }) }),
  happens('keys', { keys: Type.String({ pattern: '^[0-9A-D*#]{1,32}$' }) }),
  happens('silence', {}),
  happens('time', {}),
  happens('answered', {}),
  happens('exit', { intent: Type.String({ minLength: 1, maxLength: 64 }) }),
  happens('result', { ok: Type.Boolean(), value: Type.Optional(Type.Unknown()) }),
  happens('chosen', { answer: Type.Union([Type.String({ maxLength: 64 }), Type.Null()]) }),
  happens('language', { language: Type.Enum([...SERVED_LANGUAGES]) }),
  happens('returned', {}),
]);
const SimulateBody = Type.Object(
  {
    flow: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The flow to simulate. Defaults to the flow of the newest version. A flow with problems is rejected.',
      }),
    ),
    language: Type.Optional(
      Type.Enum([...SERVED_LANGUAGES], { description: 'Defaults to the language of the agent.' }),
    ),
    events: Type.Optional(
      Type.Array(Event, {
        maxItems: MOST_EVENTS,
        description:
          'The events from the start of the call, in order. The caller spoke (`said`), pressed `keys` or stayed silent (`silence`); the time limit of a node expired (`time`); the model `answered` or took an `exit`; a tool, message or handoff returned a `result`; the model made a decision (`chosen`); the caller changed to another `language`; the agent that took the call `returned` it.',
      }),
    ),
  },
  { additionalProperties: false },
);
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const Anything = Type.Record(Type.String(), Type.Unknown());
const Simulated = Type.Object({
  turns: Type.Array(
    Type.Object({
      event: nullable(
        Type.Unknown({ description: 'The event that caused this turn; null for the start of the call.' }),
      ),
      said: Type.Array(Type.String(), {
        description: 'What the engine says. The model’s own words are not simulated.',
      }),
      node: Type.String({ description: 'The current node after this turn.' }),
    }),
  ),
  awaits: nullable(
    Type.Enum([...AWAITED], { description: 'Who has to act next; null if the call has ended.' }),
  ),
  request: nullable(Anything),
  exits: Type.Array(Type.Object({ name: Type.String(), description: nullable(Type.String()) })),
  values: Anything,
  passed: Type.Array(Type.String()),
  path: Type.Array(
    Type.Object({
      node: Type.String(),
      turn: Type.Integer({ description: 'The index in `turns` at which the node was entered.' }),
      left_by: nullable(Type.String()),
      reason: nullable(Type.String()),
    }),
  ),
  refused: Type.Array(Type.Object({ node: Type.String(), wanted: Type.String(), reason: Type.String() })),
});

const showSimulation = ({ path, ...simulation }: Simulation) => ({
  ...simulation,
  path: path.map(({ node, enteredAtMs, leftBy, reason }) => ({
    node,
    turn: enteredAtMs,
    left_by: leftBy,
    reason,
  })),
});

async function simulated(
  flow: Flow,
  lookups: readonly Lookup[],
  language: (typeof SERVED_LANGUAGES)[number],
  now: number,
  events: readonly SimulatedEvent[],
  tenant: string,
): Promise<Simulation> {
  const large = events.findIndex(
    (event) => event.kind === 'result' && JSON.stringify(event.value ?? null).length > MOST_RESULT,
  );
  if (large >= 0)
    throw new ApiError('invalid_request', `A result can have at most ${MOST_RESULT} characters as JSON.`, {
      param: `events.${large}.value`,
    });
  try {
    return await simulateInWorker({ flow, language, now, lookups }, events, tenant);
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    throw new ApiError('invalid_request', `events.${error.at}: ${error.message}.`, {
      param: `events.${error.at}`,
      cause: error,
    });
  }
}

const servedLanguage = (language: unknown): (typeof SERVED_LANGUAGES)[number] =>
  SERVED_LANGUAGES.find((one) => one === language) ?? 'en';

export function flowRoutes(app: FastifyInstance, { agents, clock }: AgentsDeps): void {
  app.get('/v1/flows/schema', {
    config: AGENTS,
    schema: { summary: 'Get the JSON Schema of a flow', tags, response: { 200: Schema } },
    handler: async () => FLOW_DOCUMENT_SCHEMA,
  });

  app.post<{ Params: Static<typeof AgentParams>; Body: Static<typeof CheckBody> }>(
    '/v1/agents/:agent_id/flow/check',
    {
      config: AGENTS,
      schema: {
        summary: 'Check a flow for problems',
        description:
          'Nothing is saved. The same check runs when an agent is saved, and a flow with problems is rejected.',
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

  app.post<{ Params: Static<typeof AgentParams>; Body: Static<typeof SimulateBody> }>(
    '/v1/agents/:agent_id/flow/simulate',
    {
      config: AGENTS,
      schema: {
        summary: 'Simulate a call through a flow, without model, tools or audio',
        description:
          'The flow engine processes the events as in a real call: it asks questions, captures values, follows edges and refuses disallowed steps. Nothing is called, sent or saved. The same events always produce the same result; to continue a simulation, send all events again with one more.',
        tags,
        params: AgentParams,
        body: SimulateBody,
        response: { 200: Simulated },
      },
      handler: async (request) => {
        const id = agentIdOf(request.params);
        const scope = request.tenantScope();
        const { fields } = await agents.store.get(scope, id, 'newest');
        const { flow = fields.flow, language = servedLanguage(fields.language), events = [] } = request.body;
        if (flow === null)
          throw new ApiError('invalid_request', 'The agent has no flow: send one in the field flow.', {
            param: 'flow',
          });
        const [problem] = await agents.flowProblems(scope, id, flow);
        if (problem !== undefined)
          throw new ApiError('invalid_request', `${problem.node}: ${problem.detail} (${problem.code}).`, {
            param: 'flow',
          });
        return showSimulation(
          await simulated(flow as Flow, fields.lookups, language, clock.now(), events, scope.org),
        );
      },
    },
  );
}
