import { Type } from 'typebox';
import type { CallListRow, CaptureFailure } from '../../../conversation/calls/index.ts';
import type { DegradedReason, DegradedStep } from '../../../conversation/session/index.ts';
import { isLoopbackHost } from '../../../foundation/platform/url-gate/index.ts';
import type { OmniCallRow } from '../../../foundation/storage/tables/omni.ts';
import type { CallRecordingRow } from '../../../foundation/storage/tables/recordings.ts';
import { omni } from '../../../media/wire/index.ts';
import { OUTCOMES } from '../../../products/recap/index.ts';
import { hasSummary, POST_CALL_FIELDS, showExtraction, showSummary } from './post-call-schemas.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const LatencyParts = Type.Object({
  endpoint: Type.Integer(),
  asr: Type.Integer(),
  brain: Type.Integer(),
  tts: Type.Integer(),
  total: Type.Integer(),
});

/** The record type makes the compiler report a missing step. */
const STEPS: Record<DegradedStep, true> = {
  filler: true,
  retry: true,
  apology: true,
  end: true,
  voice: true,
  fallback: true,
  tool: true,
  answer: true,
  caller: true,
};
const REASONS: Record<DegradedReason, true> = {
  brain_unreachable: true,
  brain_timeout: true,
  brain_overloaded: true,
  brain_refused: true,
  brain_garbage: true,
  brain_silent: true,
  brain_slow: true,
  tool_rounds_exceeded: true,
  tool_timeout: true,
  answer_too_long: true,
  trace_flagged: true,
  trace_blocked: true,
  trace_handed_over: true,
  recognition_failed: true,
  speech_slow: true,
  voice_unreachable: true,
  voice_timeout: true,
  voice_overloaded: true,
  voice_refused: true,
  voice_garbage: true,
  voice_incomplete: true,
};
const Degraded = Type.Object({
  turn_id: Type.Integer(),
  step: Type.Enum(Object.keys(STEPS) as DegradedStep[], {
    description: 'What replaced the answer, or which component was degraded.',
  }),
  reason: Type.Enum(Object.keys(REASONS) as DegradedReason[]),
  rule: Type.Optional(
    Type.String({
      description:
        'For Trace: the rule as `pack_id@version/rule_id`, if a rule matched the answer or the caller’s words.',
    }),
  ),
});

const Grounding = Type.Object(
  {
    turn_id: Type.Integer(),
    passages: Type.Array(
      Type.Object({
        document_id: nullable(Type.String({ description: 'Null for a passage from `kb_endpoint`.' })),
        source: nullable(Type.String()),
        score: nullable(Type.Number()),
        used: Type.Boolean({ description: 'Whether words of the passage occur in the played answer.' }),
      }),
    ),
  },
  { description: 'The passages that a turn received, from knowledge bases and `kb_endpoint`.' },
);

const ToolCall = Type.Object(
  {
    turn_id: Type.Integer(),
    name: Type.String(),
    arguments: Type.Object({}, { additionalProperties: true }),
    at_ms: Type.Integer({ description: 'Milliseconds on the clock of the transcript.' }),
    took_ms: nullable(
      Type.Integer({
        description: 'The duration in milliseconds. Null if the tool had not responded when the call ended.',
      }),
    ),
    result: Type.Optional(
      Type.Unknown({
        description:
          'The result that the model received. Absent if the call has 200,000 characters of tool calls already.',
      }),
    ),
    error: Type.Optional(Type.String()),
  },
  { description: 'A tool call, by the server or the client. It is kept as long as the transcript.' },
);

const SLOT_STATES: Record<'captured' | CaptureFailure, true> = {
  captured: true,
  not_understood: true,
  no_answer: true,
  dropped: true,
};
const Slots = Type.Array(
  Type.Object({
    slot: Type.String(),
    kind: Type.String(),
    status: Type.Enum(Object.keys(SLOT_STATES) as (keyof typeof SLOT_STATES)[]),
    confirmed: nullable(Type.Enum(['read_back', 'keys', 'high_confidence'])),
    attempts: nullable(Type.Integer()),
  }),
  { description: 'The requested values and their status. The values themselves are not included.' },
);

const LEFT_BY = [
  'slot',
  'rule',
  'intent',
  'result',
  'silence',
  'key',
  'attempts',
  'answer',
  'language',
  'otherwise',
  'global',
  'back',
  'ended',
] as const;
const OfAgent = Type.Optional(
  Type.String({
    description: 'The agent whose flow it is. Only set if the call used flows of several agents.',
  }),
);
const Path = Type.Array(
  Type.Object({
    node: Type.String(),
    entered_at_ms: Type.Integer(),
    left_by: nullable(Type.Enum([...LEFT_BY])),
    reason: nullable(Type.String()),
    agent_id: OfAgent,
  }),
  { description: 'The flow nodes that the call visited. Absent if the agent has no flow.' },
);
const FlowRefused = Type.Array(
  Type.Object({
    node: Type.String(),
    wanted: Type.String(),
    at_ms: Type.Integer(),
    reason: Type.String(),
    agent_id: OfAgent,
  }),
  { description: 'Transitions that the model or an edge requested and the flow refused.' },
);

const Share = Type.Object({ p50: nullable(Type.Integer()), p95: nullable(Type.Integer()) });

export const CallTranscript = Type.Object({
  entries: Type.Array(
    Type.Object({
      role: Type.Enum(['user', 'agent']),
      turn_id: Type.Integer(),
      text: Type.String({
        description: 'The text. For the agent, it contains only what was played to the caller.',
      }),
      start_ms: Type.Integer(),
      end_ms: Type.Integer(),
      interrupted: Type.Boolean(),
    }),
  ),
});

const RecordingResult = Type.Object({
  status: Type.Enum(['success', 'pending', 'not_requested', 'skipped', 'failed', 'removed']),
  reason: Type.String({
    description:
      'One of `recorded`, `recording_cut_short` (stored without the part that was lost with its server), `recording_not_requested`, `recording_in_progress`, `consent_line_not_heard`, `recording_failed`, `recording_lost`, `storage_quota_exceeded`, `recording_deleted` or `recording_retention_over`.',
  }),
  format: Type.Optional(Type.Enum(['wav', 'flac', 'opus'])),
  bytes: Type.Optional(Type.Integer()),
  duration_s: Type.Optional(Type.Number()),
  starts_at_ms: Type.Optional(
    Type.Integer({ description: 'The transcript time of the first sample, in milliseconds.' }),
  ),
  redacted_spans: Type.Optional(
    Type.Integer({ description: 'The number of spans with personal data that are replaced by a tone.' }),
  ),
});

export const OmniCall = Type.Object({
  object: Type.Literal('omni.call'),
  call_id: Type.String({ pattern: '^ocl_[A-Za-z0-9]{20}$' }),
  session_label: nullable(Type.String()),
  external_id: nullable(Type.String()),
  agent_id: nullable(Type.String()),
  agent_version: nullable(Type.Integer()),
  status: Type.Enum(['completed', 'failed']),
  duration_s: Type.Number(),
  language: Type.String(),
  voice_id: Type.String(),
  voice_tier: Type.Enum(['standard', 'natural']),
  has_recording: Type.Boolean(),
  has_summary: Type.Boolean(),
  outcome: nullable(
    Type.Enum([...OUTCOMES], { description: 'The outcome in the summary; null if there is none.' }),
  ),
  started_at: Type.Integer(),
  created_at: Type.Integer(),
  end_reason: nullable(omni.EndReasonSchema),
  max_latency_ms: nullable(
    Type.Integer({ description: 'The response latency of the slowest answer. Null if there was none.' }),
  ),
  degraded_turns: Type.Integer({ description: 'How many turns are in `degraded`.' }),
  failed_tools: Type.Integer({
    description: 'How many tool calls ended with an error, or had not responded when the call ended.',
  }),
  transcript: Type.Optional(CallTranscript),
  transcript_url: Type.Optional(
    Type.String({
      description:
        'Replaces `transcript` if it is large or old: a URL of the same document that is valid for 15 minutes and needs no API key.',
    }),
  ),
  transcript_result: Type.Optional(Type.Object({ status: Type.Literal('removed'), reason: Type.String() })),
  recording_result: Type.Optional(RecordingResult),
  ...POST_CALL_FIELDS,
  turns: Type.Optional(Type.Array(Type.Object({ turn_id: Type.Integer(), latency_ms: LatencyParts }))),
  latency_ms: Type.Optional(Share),
  degraded: Type.Optional(Type.Array(Degraded)),
  grounding: Type.Optional(Type.Array(Grounding)),
  tool_calls: Type.Optional(Type.Array(ToolCall)),
  slots: Type.Optional(Slots),
  path: Type.Optional(Path),
  flow_refused: Type.Optional(FlowRefused),
  language_changes: Type.Optional(
    Type.Array(
      Type.Object({
        from: Type.String(),
        to: Type.String(),
        reason: Type.Enum(['detected', 'asked', 'flow', 'tool']),
        turn_id: Type.Integer(),
        at_ms: Type.Integer(),
      }),
      { description: 'Changes of the conversation language.' },
    ),
  ),
  left_out: Type.Optional(
    Type.Array(
      Type.Object({
        start_ms: Type.Integer(),
        end_ms: Type.Integer(),
        words: Type.Integer({ description: 'How many words. The words themselves are not stored.' }),
        reason: Type.Literal('other_voice'),
      }),
      {
        description:
          'Speech of others than the caller that the speaker lock kept out of the call, if the agent has `primary_speaker`.',
      },
    ),
  ),
  agents: Type.Optional(
    Type.Array(
      Type.Object({
        agent_id: Type.String(),
        agent_version: Type.Integer(),
        from_ms: Type.Integer(),
        to_ms: Type.Optional(
          Type.Integer({
            description: 'When the agent’s part ended. Absent in calls recorded by earlier versions.',
          }),
        ),
        turns: Type.Optional(Type.Integer({ description: 'The number of turns the agent spoke.' })),
        talk_ms: Type.Optional(
          Type.Integer({ description: 'The total time the agent spoke, in milliseconds.' }),
        ),
        context: nullable(
          Type.Enum(['all', 'summary', 'slots'], {
            description: 'The context that the agent received; null for the first agent of the call.',
          }),
        ),
      }),
      { description: 'The agents of the call. Only set if there was more than one.' },
    ),
  ),
  voice_gave_way: Type.Optional(
    Type.Boolean({
      description: 'Whether the call used `voice_under_load` because the server was under load at its start.',
    }),
  ),
  providers: Type.Optional(
    Type.Array(
      Type.Object({
        kind: Type.Enum(['speech', 'recognition', 'brain'], {
          description: '`brain`: a language model on another server.',
        }),
        name: Type.String({ description: 'The same as `provider`.' }),
        provider: Type.String({
          description: 'The name of a provider that the operator has configured, or of one of your own keys.',
        }),
        credential: Type.Enum(['operator', 'customer'], {
          description: 'Whose key the requests carried; `customer` means your own.',
        }),
        region: nullable(Type.String()),
        host: Type.String({ description: 'The host to which text or caller audio was sent.' }),
        left_machine: Type.Boolean({
          description: 'Whether that host is another machine than the server of the call.',
        }),
        requests: Type.Integer(),
        characters: Type.Integer({
          description: 'Characters sent for synthesis, or received from recognition or as an answer.',
        }),
        sound_ms: Type.Integer({
          description:
            'Milliseconds of audio received from synthesis, or sent for recognition or to a language model.',
        }),
        failures: Type.Integer({
          description: 'Failed requests, which this server or the next provider handled instead.',
        }),
        failed_over_at_ms: Type.Optional(
          Type.Integer({
            description:
              'When the first of these failures was handled, in milliseconds from the start of the call, or from where it resumed on another node.',
          }),
        ),
      }),
      {
        description:
          'Providers used for speech synthesis, recognition and answers. Empty if the server of the call did all of that itself.',
      },
    ),
  ),
  tokens: Type.Optional(
    Type.Array(
      Type.Object({
        turn_id: Type.Integer(),
        prompt: Type.Integer(),
        cached: Type.Integer({ description: 'Prompt tokens that were read from the model’s cache.' }),
        completion: Type.Integer(),
      }),
      { description: 'Token usage per turn, if the model’s endpoint reports it.' },
    ),
  ),
  error: Type.Optional(Type.Literal('call_failed')),
});

interface StoredTurns {
  readonly turns: readonly { turn_id: number; latency_ms: { total: number } }[];
  readonly degraded: readonly { turn_id: number }[];
  /** Records from before knowledge bases lack this field. */
  readonly grounding?: readonly unknown[];
  readonly slots?: readonly unknown[];
  readonly path?: readonly unknown[];
  readonly flow_refused?: readonly unknown[];
  readonly agents?: readonly unknown[];
  readonly language_changes?: readonly unknown[];
  readonly left_out?: readonly unknown[];
  readonly tokens?: readonly unknown[];
  readonly voice_gave_way?: boolean;
  readonly providers?: readonly { readonly provider: string; readonly host: string }[];
}

const TRANSCRIPT_REMOVED = {
  transcript_result: { status: 'removed' as const, reason: 'transcript_retention_over' },
};

const NO_RECORDING = { status: 'not_requested' as const, reason: 'recording_not_requested' };

const hostnameOf = (host: string): string => host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');

interface StoredTool {
  readonly took_ms: number | null;
  readonly error?: string;
}

const turnsOf = (row: CallListRow): StoredTurns =>
  JSON.parse(row.turns ?? '{"turns":[],"degraded":[]}') as StoredTurns;

function showTrouble(row: CallListRow) {
  const { turns, degraded } = turnsOf(row);
  const tools = JSON.parse(row.tools ?? '[]') as StoredTool[];
  return {
    max_latency_ms: turns.length === 0 ? null : Math.max(...turns.map(({ latency_ms: { total } }) => total)),
    degraded_turns: new Set(degraded.map(({ turn_id }) => turn_id)).size,
    failed_tools: tools.filter(({ error, took_ms }) => error !== undefined || took_ms === null).length,
  };
}

export function showHead(row: CallListRow, recorded: boolean) {
  return {
    object: 'omni.call' as const,
    call_id: row.id,
    session_label: row.session_label,
    external_id: row.external_id,
    agent_id: row.agent_id,
    agent_version: row.agent_version === null ? null : Number(row.agent_version),
    status: row.status === 'completed' ? ('completed' as const) : ('failed' as const),
    duration_s: row.duration_ms / 1000,
    language: row.language,
    voice_id: row.voice_id,
    voice_tier: row.voice_tier,
    has_recording: recorded,
    has_summary: hasSummary(row),
    outcome: row.outcome,
    started_at: row.started_at,
    created_at: row.created_at,
    end_reason: row.end_reason,
    ...showTrouble(row),
    ...(row.status === 'failed' ? { error: 'call_failed' as const } : {}),
  };
}

export const showCall = (
  row: OmniCallRow,
  recording: CallRecordingRow | null,
  urlOf: (callId: string) => string,
) => ({
  ...showHead(row, recording?.status === 'success'),
  ...showWhole(row, urlOf),
  recording_result: recording === null ? NO_RECORDING : showRecording(recording),
});

function showRecording(row: CallRecordingRow) {
  const { status, reason } = row;
  if (status === 'waiting' || status === 'recording') return { status: 'pending' as const, reason };
  if (status !== 'success') return { status, reason };
  return {
    status,
    reason,
    ...(row.format === null ? {} : { format: row.format }),
    bytes: Number(row.bytes),
    duration_s: Number(row.duration_ms) / 1000,
    starts_at_ms: Number(row.starts_at_ms),
    redacted_spans: Number(row.redacted_spans),
  };
}

function showWhole(row: OmniCallRow, urlOf: (callId: string) => string) {
  const stored = turnsOf(row);
  const totals = stored.turns.map((turn) => turn.latency_ms.total);
  return {
    ...whereTranscript(row, urlOf),
    ...showSummary(row),
    ...showExtraction(row),
    turns: stored.turns,
    tool_calls: JSON.parse(row.tools ?? '[]') as unknown[],
    latency_ms: { p50: quantile(totals, 0.5), p95: quantile(totals, 0.95) },
    degraded: stored.degraded,
    grounding: stored.grounding ?? [],
    slots: stored.slots ?? [],
    ...(stored.agents === undefined ? {} : { agents: stored.agents }),
    ...(stored.language_changes === undefined ? {} : { language_changes: stored.language_changes }),
    ...(stored.left_out === undefined ? {} : { left_out: stored.left_out }),
    ...(stored.path === undefined ? {} : { path: stored.path, flow_refused: stored.flow_refused ?? [] }),
    tokens: stored.tokens ?? [],
    voice_gave_way: stored.voice_gave_way ?? false,
    providers: (stored.providers ?? []).map((use) => ({
      credential: 'operator',
      name: use.provider,
      left_machine: !isLoopbackHost(hostnameOf(use.host)),
      ...use,
    })),
  };
}

function whereTranscript(row: OmniCallRow, urlOf: (callId: string) => string) {
  if (row.transcript_removed_at !== null) return TRANSCRIPT_REMOVED;
  if (row.transcript_offloaded_at !== null) return { transcript_url: urlOf(row.id) };
  return { transcript: showTranscript(row) };
}

export const showTranscript = (row: OmniCallRow) => ({
  entries: JSON.parse(row.transcript ?? '[]') as unknown[],
});

/** Uses the nearest rank. Returns null for an empty list. */
function quantile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
