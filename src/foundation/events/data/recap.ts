import Type, { type Static } from 'typebox';
import { nullable } from '../define-event.ts';
import { agentShare } from './agent-share.ts';

const Role = Type.Enum(['agent', 'customer', 'unknown']);
const statement = {
  text: Type.String(),
  quote: Type.String(),
  speaker: Role,
  start_ms: Type.Integer(),
  end_ms: Type.Integer(),
};
const Statements = Type.Array(Type.Object(statement));

export const RecapRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal('recap.call'),
  source: Type.Object({ kind: Type.Enum(['transcript', 'call', 'job']), id: Type.String() }),
  agent_id: nullable(Type.String()),
  agent_version: nullable(Type.String()),
  external_id: nullable(Type.String()),
  language: nullable(Type.String()),
  by: Type.Enum(['model', 'extractive'], {
    description: 'Whether a language model wrote the summary, or it consists of sentences of the call.',
  }),
  summary: Type.String(),
  summary_statements: Statements,
  topics: Type.Array(Type.String()),
  action_items: Type.Array(
    Type.Object({
      ...statement,
      owner: nullable(Type.Enum(['agent', 'customer'])),
      due: nullable(Type.String()),
    }),
  ),
  promises: Statements,
  unanswered_questions: Statements,
  sentiment: Type.Object({
    overall: nullable(Type.Number()),
    over_time: Type.Array(Type.Object({ at_ms: Type.Integer(), value: Type.Number() })),
  }),
  outcome: Type.Enum(['resolved', 'follow_up', 'unresolved', 'no_conversation', 'unknown']),
  talk_ratio: Type.Object({ agent: Type.Number(), customer: Type.Number(), unknown: Type.Number() }),
  interruptions: Type.Object({ by_agent: Type.Integer(), by_customer: Type.Integer() }),
  longest_silence_s: Type.Number(),
  agent_response_ms: nullable(
    Type.Object(
      { p50: Type.Integer(), p95: Type.Integer() },
      {
        description:
          'Response time of the agent: from the end of the customer’s speech to the agent’s first word, in milliseconds.',
      },
    ),
  ),
  agents: Type.Optional(
    Type.Array(
      Type.Object({
        ...agentShare,
        agent_response_ms: nullable(Type.Object({ p50: Type.Integer(), p95: Type.Integer() })),
        promises: Type.Integer({ description: 'The number of entries of `promises` that this agent made.' }),
      }),
      { description: 'The agents of the call with their shares. Only set if there was more than one.' },
    ),
  ),
  speakers: Type.Array(Type.Object({ label: Type.String(), role: Role, talk_ms: Type.Integer() })),
  crm_fields: Type.Record(
    Type.String(),
    Type.Object({ value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]), quote: Type.String() }),
  ),
  scores: Type.Array(
    Type.Object({
      scorecard_id: Type.String(),
      criterion_id: Type.String(),
      value: nullable(Type.Number()),
      evidence: Type.Array(
        Type.Object({ quote: Type.String(), start_ms: nullable(Type.Integer()), detail: Type.String() }),
      ),
    }),
  ),
  dropped: Type.Integer({
    description:
      'The number of model statements that were dropped because their quotes do not occur in the call.',
  }),
  version: Type.Integer(),
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
});

const SAID = {
  text: 'A plumber comes tomorrow.',
  quote: 'I will send a plumber tomorrow',
  speaker: 'agent' as const,
  start_ms: 4_000,
  end_ms: 6_500,
};

export const RECAP: Static<typeof RecapRecord> = {
  id: 'rcp_4fT9bQw2LmXc7RzK1hVd',
  object: 'recap.call',
  source: { kind: 'call', id: 'ocl_4fT9bQw2LmXc7RzK1hVd' },
  agent_id: 'agt_4fT9bQw2LmXc7RzK1hVd',
  agent_version: '3',
  external_id: 'customer-17',
  language: 'en',
  by: 'model',
  summary: 'The boiler is broken. A plumber comes tomorrow.',
  summary_statements: [SAID],
  topics: ['boiler', 'plumber'],
  action_items: [{ ...SAID, owner: 'agent', due: '2026-11-23' }],
  promises: [SAID],
  unanswered_questions: [],
  sentiment: { overall: -0.2, over_time: [{ at_ms: 1_000, value: -0.2 }] },
  outcome: 'follow_up',
  talk_ratio: { agent: 0.45, customer: 0.55, unknown: 0 },
  interruptions: { by_agent: 0, by_customer: 1 },
  longest_silence_s: 1.2,
  agent_response_ms: { p50: 640, p95: 910 },
  speakers: [
    { label: 'agent', role: 'agent', talk_ms: 21_000 },
    { label: 'customer', role: 'customer', talk_ms: 26_000 },
  ],
  crm_fields: { device: { value: 'boiler', quote: 'the boiler is broken' } },
  scores: [],
  dropped: 0,
  version: 1,
  created_at: 1_795_348_800_000,
  updated_at: 1_795_348_800_000,
};
