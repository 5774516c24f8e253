import Type, { type Static } from 'typebox';
import { nullable } from '../define-event.ts';
import { RecapRecord } from './recap.ts';

const { quote, speaker, start_ms, end_ms } = RecapRecord.properties.summary_statements.items.properties;

export const CallExtraction = Type.Object({
  extracted: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'The extracted values. Each is valid for its field of the schema; together they are valid for the whole schema if no required field is missing.',
  }),
  missing: Type.Array(Type.String(), { description: 'Schema fields without a value.' }),
  reasons: Type.Record(
    Type.String(),
    Type.Enum([
      'not_said',
      'not_quoted',
      'does_not_fit',
      'contradicts_schema',
      'nothing_was_said',
      'no_model_configured',
      'model_failed',
    ]),
    { description: 'Why values are missing.' },
  ),
  evidence: Type.Record(Type.String(), Type.Object({ quote, speaker, start_ms, end_ms }), {
    description: 'For each value, the quote from the call that supports it.',
  }),
});

const NAMES = {
  call_id: Type.String(),
  session_label: nullable(Type.String()),
  external_id: nullable(Type.String()),
  agent_id: nullable(Type.String()),
  agent_version: nullable(Type.Integer()),
};

export const EndedCallData = Type.Object({
  ...NAMES,
  object: Type.Literal('omni.call'),
  status: Type.Enum(['completed', 'failed']),
  end_reason: nullable(Type.String()),
  language: Type.String(),
  voice_id: Type.String(),
  voice_tier: Type.String(),
  duration_s: Type.Number(),
  started_at: Type.Integer(),
  ended_at: Type.Integer(),
});

export const ExtractedCall = Type.Object({
  ...NAMES,
  ...CallExtraction.properties,
});

const NAMED = {
  call_id: 'ocl_4fT9bQw2LmXc7RzK1hVd',
  session_label: 'agt_4fT9bQw2LmXc7RzK1hVd',
  external_id: 'customer-17',
  agent_id: 'agt_4fT9bQw2LmXc7RzK1hVd',
  agent_version: 3,
};

export const OMNI_CALL_ENDED: Static<typeof EndedCallData> = {
  ...NAMED,
  object: 'omni.call',
  status: 'completed',
  end_reason: 'client_ended',
  language: 'en',
  voice_id: 'en1',
  voice_tier: 'natural',
  duration_s: 42.18,
  started_at: 1_795_348_800_000,
  ended_at: 1_795_348_842_180,
};

export const EXTRACTED: Static<typeof ExtractedCall> = {
  ...NAMED,
  extracted: { device: 'boiler', floor: 2 },
  missing: ['preferred_day'],
  reasons: { preferred_day: 'not_said' },
  evidence: {
    device: { quote: 'the boiler is broken', speaker: 'customer', start_ms: 1_000, end_ms: 3_200 },
    floor: { quote: 'on the second floor', speaker: 'customer', start_ms: 3_400, end_ms: 4_900 },
  },
};

export const CallSummary = Type.Object({
  by: RecapRecord.properties.by,
  text: Type.String(),
  statements: RecapRecord.properties.summary_statements,
  topics: RecapRecord.properties.topics,
  action_items: RecapRecord.properties.action_items,
  promises: RecapRecord.properties.promises,
  unanswered_questions: RecapRecord.properties.unanswered_questions,
  sentiment: RecapRecord.properties.sentiment,
  outcome: RecapRecord.properties.outcome,
  dropped: RecapRecord.properties.dropped,
});
