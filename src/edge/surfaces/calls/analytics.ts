import { type Static, Type } from 'typebox';
import { CALL_GROUPS } from '../../../conversation/calls/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';

const HOUR_MS = 3_600_000;
const INTERVALS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const;
const DEFAULT_DAYS = 7;
const MOST_BUCKETS = 400;

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const Moment = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

export const CallAnalyticsQuery = Type.Object({
  from: Type.Optional(Moment('calls made then or later, Unix milliseconds; a week before `to` by default')),
  to: Type.Optional(Moment('calls made then or before, Unix milliseconds; now by default')),
  interval: Type.Optional(
    Type.Enum(['hour', 'day'], {
      default: 'day',
      description: 'How long a bucket is: an hour, or 24 of them. The first begins at `from`',
    }),
  ),
  group_by: Type.Optional(Type.Enum([...CALL_GROUPS], { default: 'agent' })),
  agent_id: Type.Optional(Type.String({ pattern: '^agt_[0-9A-Za-z]{20}$' })),
  kind: Type.Optional(Type.Enum(['browser', 'telephony', 'msgapp', 'amd', 'test'])),
});
export type CallAnalyticsQuery = Static<typeof CallAnalyticsQuery>;

const FIGURES = {
  calls: Type.Integer(),
  answered: Type.Integer(),
  completed: Type.Integer({ description: 'over, answered, and none of their sessions failed' }),
  failed: Type.Integer({ description: 'over, and not answered or with a session that failed' }),
  turns: Type.Integer({ description: 'answers of agents' }),
  interruptions: Type.Integer({
    description: 'answers that the caller interrupted, of transcripts that are in the database',
  }),
  duration_ms: Type.Integer({ description: 'from answer to end, of calls that are over' }),
  cost_micros: Type.Integer({ description: 'at list price' }),
  latency_ms: Type.Object(
    { p50: nullable(Type.Integer()), p95: nullable(Type.Integer()) },
    { description: 'Response latency of all turns, as the caller heard it' },
  ),
};

export const CallAnalyticsView = Type.Object({
  object: Type.Literal('call_analytics'),
  from: Type.Integer(),
  to: Type.Integer(),
  interval: Type.Enum(['hour', 'day']),
  group_by: Type.Enum([...CALL_GROUPS]),
  total: Type.Object(FIGURES),
  buckets: Type.Array(Type.Object({ start: Type.Integer(), ...FIGURES })),
  groups: Type.Array(
    Type.Object({
      name: nullable(
        Type.String({ description: 'a version is `agent_id@version`; null: calls that have no such thing' }),
      ),
      ...FIGURES,
    }),
  ),
  failures: Type.Array(Type.Object({ reason: Type.String(), calls: Type.Integer() }), {
    description: 'By `end_reason`, the commonest first',
  }),
  truncated: Type.Boolean({ description: 'only the newest of the calls were counted' }),
});

export function rangeOf(query: CallAnalyticsQuery, now: number) {
  const intervalMs = INTERVALS[query.interval ?? 'day'];
  const to = query.to ?? now;
  const from = query.from ?? Math.max(0, to - DEFAULT_DAYS * INTERVALS.day);
  if (from > to)
    throw new ApiError('invalid_request', 'to is before from: no call was made in between.', { param: 'to' });
  if ((to - from) / intervalMs > MOST_BUCKETS)
    throw new ApiError(
      'invalid_request',
      `A period has at most ${MOST_BUCKETS} buckets: say a later from, or interval=day.`,
      { param: 'from' },
    );
  return { from, to, intervalMs };
}
