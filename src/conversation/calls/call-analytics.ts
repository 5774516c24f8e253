import { sql } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { CallReader, CallRecordFilter, WholeCall } from './call-reader.ts';
import { type FlowAnalyticsQuery, type FlowAnalyticsResult, flowAnalytics } from './flow-analytics.ts';

/** A report on more calls counts this many of the newest and says so. */
export const MOST_COUNTED_CALLS = 20_000;
const PAGE = 200;

export const CALL_GROUPS = [
  'agent',
  'version',
  'language',
  'kind',
  'outcome',
  'end_reason',
  'campaign',
] as const;
export type CallGroup = (typeof CALL_GROUPS)[number];

export interface CallFigures {
  calls: number;
  answered: number;
  completed: number;
  failed: number;
  turns: number;
  interruptions: number;
  duration_ms: number;
  cost_micros: number;
  latency_ms: { p50: number | null; p95: number | null };
}

export interface CallAnalyticsQuery {
  readonly from: number;
  readonly to: number;
  readonly intervalMs: number;
  readonly groupBy: CallGroup;
  readonly filter: Omit<CallRecordFilter, 'from' | 'to'>;
}

export interface CallAnalyticsResult {
  readonly total: CallFigures;
  readonly buckets: readonly (CallFigures & { readonly start: number })[];
  readonly groups: readonly (CallFigures & { readonly name: string | null })[];
  readonly failures: readonly { readonly reason: string; readonly calls: number }[];
  readonly truncated: boolean;
}

interface SessionExtras {
  readonly outcome: string | null;
  readonly interruptions: number;
}

interface Measured {
  readonly call: WholeCall;
  readonly isCompleted: boolean;
  readonly isFailed: boolean;
  readonly interruptions: number;
  readonly latencies: readonly number[];
}

export class CallAnalytics {
  readonly #storage: Storage;
  readonly #reader: Pick<CallReader, 'list'>;

  constructor(storage: Storage, reader: Pick<CallReader, 'list'>) {
    this.#storage = storage;
    this.#reader = reader;
  }

  async of(scope: TenantScope, query: CallAnalyticsQuery): Promise<CallAnalyticsResult> {
    const { from, to, intervalMs, groupBy, filter } = query;
    const total = new Sum();
    const buckets = Array.from({ length: Math.max(1, Math.ceil((to - from) / intervalMs)) }, () => new Sum());
    const groups = new Map<string | null, Sum>();
    const failures = new Map<string, number>();
    let counted = 0;
    let end: { createdAt: number; id: string } | null = null;
    for (;;) {
      const found: WholeCall[] = await this.#reader.list(scope, { ...filter, from, to, limit: PAGE }, end);
      const page = found.slice(0, PAGE);
      const extras = await this.#extrasOf(scope, page);
      const campaigns = groupBy === 'campaign' ? await this.#campaignsOf(scope, page) : new Map();
      for (const call of page) {
        const measured = measure(call, extras);
        const at = Math.floor((Number(call.call.created_at) - from) / intervalMs);
        const name =
          groupBy === 'campaign' ? (campaigns.get(call.call.id) ?? null) : nameOf(call, groupBy, extras);
        if (!groups.has(name)) groups.set(name, new Sum());
        for (const sum of [total, buckets[Math.min(at, buckets.length - 1)], groups.get(name)])
          sum?.add(measured);
        if (measured.isFailed) {
          const reason = call.call.end_reason ?? 'unknown';
          failures.set(reason, (failures.get(reason) ?? 0) + 1);
        }
      }
      counted += page.length;
      const last = page.at(-1);
      if (found.length <= PAGE || last === undefined || counted >= MOST_COUNTED_CALLS) {
        return {
          total: total.figures(),
          buckets: buckets.map((sum, nth) => ({ start: from + nth * intervalMs, ...sum.figures() })),
          groups: [...groups]
            .map(([name, sum]) => ({ name, ...sum.figures() }))
            .sort((a, b) => b.calls - a.calls),
          failures: [...failures]
            .map(([reason, calls]) => ({ reason, calls }))
            .sort((a, b) => b.calls - a.calls),
          truncated: found.length > PAGE,
        };
      }
      end = { createdAt: Number(last.call.created_at), id: last.call.id };
    }
  }

  ofFlow(scope: TenantScope, query: Omit<FlowAnalyticsQuery, 'mostCalls'>): Promise<FlowAnalyticsResult> {
    return flowAnalytics(this.#storage, scope, { ...query, mostCalls: MOST_COUNTED_CALLS });
  }

  /** The database counts interruptions, so that transcripts need not be loaded. */
  async #extrasOf(
    scope: TenantScope,
    calls: readonly WholeCall[],
  ): Promise<ReadonlyMap<string, SessionExtras>> {
    const ids = calls.flatMap(({ sessions }) => sessions.map(({ id }) => id));
    if (ids.length === 0) return new Map();
    const mark = '"interrupted":true';
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('omni_calls')
      .select([
        'id',
        'outcome',
        sql<number>`(length(transcript) - length(replace(transcript, ${mark}, ''))) / ${sql.lit(mark.length)}`.as(
          'interruptions',
        ),
      ])
      .where('id', 'in', ids)
      .execute();
    return new Map(
      rows.map(({ id, outcome, interruptions }) => [
        id,
        { outcome, interruptions: Number(interruptions ?? 0) },
      ]),
    );
  }

  async #campaignsOf(
    scope: TenantScope,
    calls: readonly WholeCall[],
  ): Promise<ReadonlyMap<string, string | null>> {
    if (calls.length === 0) return new Map();
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('telephony_calls')
      .select(['call_id', 'campaign_id'])
      .where(
        'call_id',
        'in',
        calls.map(({ call }) => call.id),
      )
      .execute();
    return new Map(rows.map(({ call_id, campaign_id }) => [call_id ?? '', campaign_id]));
  }
}

function measure(call: WholeCall, extras: ReadonlyMap<string, SessionExtras>): Measured {
  const { state, answered_at } = call.call;
  const isOver = state === 'ended';
  const isFailed =
    isOver && (answered_at === null || call.sessions.some(({ status }) => status === 'failed'));
  return {
    call,
    isCompleted: isOver && !isFailed,
    isFailed,
    interruptions: call.sessions.reduce((sum, { id }) => sum + (extras.get(id)?.interruptions ?? 0), 0),
    latencies: call.sessions.flatMap(({ turns }) => {
      const { turns: each = [] } = JSON.parse(turns ?? '{}') as {
        turns?: readonly { readonly latency_ms: { readonly total: number } }[];
      };
      return each.map(({ latency_ms }) => latency_ms.total);
    }),
  };
}

function nameOf(
  { call, sessions, legs }: WholeCall,
  by: Exclude<CallGroup, 'campaign'>,
  extras: ReadonlyMap<string, SessionExtras>,
): string | null {
  const session = sessions.at(-1);
  const agent = session?.agent_id ?? legs.at(-1)?.agent_id ?? null;
  switch (by) {
    case 'kind':
      return call.kind;
    case 'end_reason':
      return call.end_reason;
    case 'agent':
      return agent;
    case 'version':
      return agent === null || session?.agent_version == null ? null : `${agent}@${session.agent_version}`;
    case 'language':
      return session?.language ?? null;
    case 'outcome':
      return session === undefined ? null : (extras.get(session.id)?.outcome ?? null);
  }
}

class Sum {
  readonly #latencies: number[] = [];
  #calls = 0;
  #answered = 0;
  #completed = 0;
  #failed = 0;
  #interruptions = 0;
  #durationMs = 0;
  #costMicros = 0;

  add({ call: { call, cost }, isCompleted, isFailed, interruptions, latencies }: Measured): void {
    this.#calls += 1;
    if (call.answered_at !== null) {
      this.#answered += 1;
      if (call.ended_at !== null) this.#durationMs += Number(call.ended_at) - Number(call.answered_at);
    }
    if (isCompleted) this.#completed += 1;
    if (isFailed) this.#failed += 1;
    this.#interruptions += interruptions;
    this.#costMicros += cost.micros;
    this.#latencies.push(...latencies);
  }

  figures(): CallFigures {
    const sorted = this.#latencies.sort((a, b) => a - b);
    const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
    return {
      calls: this.#calls,
      answered: this.#answered,
      completed: this.#completed,
      failed: this.#failed,
      turns: sorted.length,
      interruptions: this.#interruptions,
      duration_ms: this.#durationMs,
      cost_micros: this.#costMicros,
      latency_ms: { p50: rank(0.5), p95: rank(0.95) },
    };
  }
}
