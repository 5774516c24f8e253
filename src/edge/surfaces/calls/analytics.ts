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
  from: Type.Optional(
    Moment(
      'Only include calls created at or after this Unix time in milliseconds. Defaults to one week before `to`.',
    ),
  ),
  to: Type.Optional(
    Moment('Only include calls created at or before this Unix time in milliseconds. Defaults to now.'),
  ),
  interval: Type.Optional(
    Type.Enum(['hour', 'day'], {
      default: 'day',
      description: 'The length of a bucket: one hour, or 24 hours. The first bucket starts at `from`.',
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
  completed: Type.Integer({
    description: 'Calls that have ended, were answered, and had no failed session.',
  }),
  failed: Type.Integer({
    description: 'Calls that have ended and were not answered, or had a failed session.',
  }),
  turns: Type.Integer({ description: 'Agent turns.' }),
  interruptions: Type.Integer({
    description:
      'Agent turns that the caller interrupted. Only transcripts stored in the database are counted.',
  }),
  duration_ms: Type.Integer({ description: 'Total time from answer to end, of calls that have ended.' }),
  cost_micros: Type.Integer({ description: 'The cost at list price.' }),
  latency_ms: Type.Object(
    { p50: nullable(Type.Integer()), p95: nullable(Type.Integer()) },
    { description: 'Response latency over all turns, as perceived by the caller.' },
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
        Type.String({
          description:
            'The name of the group. A version is `agent_id@version`; null groups calls without such a value.',
        }),
      ),
      ...FIGURES,
    }),
  ),
  failures: Type.Array(Type.Object({ reason: Type.String(), calls: Type.Integer() }), {
    description: 'Failures by `end_reason`, most frequent first.',
  }),
  truncated: Type.Boolean({ description: 'Whether only the newest calls were counted.' }),
});

export function rangeOf(query: CallAnalyticsQuery, now: number) {
  const intervalMs = INTERVALS[query.interval ?? 'day'];
  const to = query.to ?? now;
  const from = query.from ?? Math.max(0, to - DEFAULT_DAYS * INTERVALS.day);
  if (from > to)
    throw new ApiError('invalid_request', 'to is before from: it must be later.', { param: 'to' });
  if ((to - from) / intervalMs > MOST_BUCKETS)
    throw new ApiError(
      'invalid_request',
      `A period can have at most ${MOST_BUCKETS} buckets: set a later from, or interval=day.`,
      { param: 'from' },
    );
  return { from, to, intervalMs };
}
