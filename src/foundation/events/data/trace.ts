import Type, { type Static } from 'typebox';
import { nullable } from '../define-event.ts';
import { agentShare } from './agent-share.ts';

const Severity = Type.Enum(['info', 'low', 'medium', 'high', 'critical']);
const Status = Type.Enum(['open', 'acknowledged', 'dismissed', 'remediated']);

export const traceEvidence = {
  speaker: Type.Enum(['agent', 'customer', 'unknown']),
  quote: Type.String(),
  start_ms: nullable(Type.Integer()),
  end_ms: nullable(Type.Integer()),
  timing: Type.Enum(['words', 'utterance', 'none']),
  audio: nullable(Type.Object({ start_ms: Type.Integer(), end_ms: Type.Integer() })),
  confidence: nullable(
    Type.Number({ description: 'The confidence of the recognizer for this part; null if unknown.' }),
  ),
  likeness: Type.Number({ description: 'The similarity to the phrase of the rule; 1 for an exact match.' }),
  held_against: Type.String(),
  detail: Type.String(),
};

export const TraceUnjudged = Type.Object({
  pack_id: Type.String(),
  rule_id: Type.String(),
  reason: Type.String(),
});

export const TraceResult = Type.Object({
  id: Type.String(),
  object: Type.Enum(['trace.violation', 'trace.finding']),
  interaction_id: Type.String(),
  pack: Type.String(),
  pack_id: Type.String(),
  pack_version: Type.String(),
  rule_id: Type.String(),
  title: Type.String(),
  severity: Severity,
  ...traceEvidence,
  agent_id: nullable(Type.String()),
  agent_version: nullable(Type.String()),
  status: Status,
  moves: Type.Array(
    Type.Object({
      from: Status,
      to: Status,
      reason: nullable(Type.String()),
      by: Type.String(),
      at: Type.Integer(),
    }),
  ),
  exposure: nullable(
    Type.Object({ currency: Type.String(), least_micros: Type.Integer(), most_micros: Type.Integer() }),
  ),
  created_at: Type.Integer(),
});

export const interactionHead = {
  id: Type.String(),
  object: Type.Literal('trace.interaction'),
  source: Type.Object({ kind: Type.Enum(['transcript', 'call', 'job']), id: nullable(Type.String()) }),
  agent_id: nullable(Type.String()),
  agent_version: nullable(Type.String()),
  external_id: nullable(Type.String()),
  verdict: Type.Enum(['clean', 'findings', 'violations']),
  rule_packs: Type.Array(
    Type.Object({ id: Type.String(), pack_id: Type.String(), version: Type.String(), etag: Type.String() }),
  ),
  unjudged: Type.Array(TraceUnjudged, { description: 'Rules that could not be evaluated, with reasons.' }),
  digest: Type.String({ description: 'SHA-256 hash of the conversation, the rule packs and the results.' }),
  signature: Type.String({ description: 'Ed25519 signature of the digest text, Base64-encoded.' }),
  created_at: Type.Integer(),
};

export const TraceInteraction = Type.Object({
  ...interactionHead,
  agents: Type.Optional(
    Type.Array(
      Type.Object({
        ...agentShare,
        violations: Type.Integer({
          description: 'The number of violations in the agent’s part of the call.',
        }),
        findings: Type.Integer(),
      }),
      { description: 'The agents of the call with their shares. Only set if there was more than one.' },
    ),
  ),
  violations: Type.Array(TraceResult),
  findings: Type.Array(TraceResult),
});

export const INTERACTION: Static<typeof TraceInteraction> = {
  id: 'trace_4fT9bQw2LmXc7RzK1hVd',
  object: 'trace.interaction',
  source: { kind: 'call', id: 'ocl_4fT9bQw2LmXc7RzK1hVd' },
  agent_id: 'agt_4fT9bQw2LmXc7RzK1hVd',
  agent_version: '3',
  external_id: 'customer-17',
  verdict: 'violations',
  rule_packs: [{ id: 'TCPA', pack_id: 'TCPA', version: '1.0.0', etag: 'a1b2c3' }],
  unjudged: [],
  digest: 'a1b2c3'.repeat(10),
  signature: 'c2lnbmF0dXJl',
  created_at: 1_795_348_800_000,
  violations: [
    {
      id: 'tres_4fT9bQw2LmXc7RzK1hVd',
      object: 'trace.violation',
      interaction_id: 'trace_4fT9bQw2LmXc7RzK1hVd',
      pack: 'TCPA',
      pack_id: 'TCPA',
      pack_version: '1.0.0',
      rule_id: 'identify-caller',
      title: 'Say who is calling',
      severity: 'high',
      speaker: 'agent',
      quote: '',
      start_ms: null,
      end_ms: null,
      timing: 'none',
      audio: null,
      confidence: null,
      likeness: 0,
      held_against: 'This is Example Ltd calling',
      detail: 'Nobody said who is calling within 30 s.',
      agent_id: 'agt_4fT9bQw2LmXc7RzK1hVd',
      agent_version: '3',
      status: 'open',
      moves: [],
      exposure: { currency: 'USD', least_micros: 500_000_000, most_micros: 1_500_000_000 },
      created_at: 1_795_348_800_000,
    },
  ],
  findings: [],
};
