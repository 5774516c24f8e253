import type { Json } from '../data/api.ts';
import { endReason } from '../data/end-reasons.ts';
import { formatCurrency, length, number, orNothing, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { go, to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { LoadingState, Page } from '../kit/page.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';
import { TranscriptList } from '../kit/transcript-list.tsx';
import { lineOf } from './call-lines.ts';

const MOST = 20;

export function CompareWith({ call }: { readonly call: Json }) {
  const query = call.agent_id === null ? '' : `&agent_id=${call.agent_id}`;
  const { data } = useLoad(`/v1/omni/calls?limit=${MOST}${query}`);
  const others = (data?.data ?? []).filter(({ call_id }: Json) => call_id !== call.call_id);
  if (others.length === 0) return null;
  return (
    <label class="row small">
      {t('Compare with the call of')}
      <select value="" onChange={(event) => go('calls', call.call_id, 'with', event.currentTarget.value)}>
        <option value="">–</option>
        {others.map(({ call_id, started_at, duration_s }: Json) => (
          <option key={call_id} value={call_id}>
            {`${time(started_at)} · ${length(duration_s)}`}
          </option>
        ))}
      </select>
    </label>
  );
}

export function CompareCalls({ ids }: { readonly ids: readonly [string, string] }) {
  const [one, other] = ids.map((id) => useLoad(`/v1/omni/calls/${id}`));
  const [wholeOne, wholeOther] = ids.map((id) => useLoad(`/v1/calls/${id}`));
  const error = one?.error ?? other?.error ?? null;
  if (!one?.data || !other?.data)
    return (
      <Page title={t('Two calls')}>
        <LoadingState error={error} />
      </Page>
    );
  const calls: readonly Json[] = [one.data, other.data];
  const costs = [wholeOne?.data?.cost.micros, wholeOther?.data?.cost.micros];
  const interruptions = (call: Json): number =>
    (call.transcript?.entries ?? []).filter(({ interrupted }: Json) => interrupted).length;
  const rows: readonly (readonly [string, (call: Json, nth: number) => string])[] = [
    [t('Agent'), (call) => orNothing(call.session_label ?? call.agent_id)],
    [t('Version'), (call) => orNothing(call.agent_version)],
    [t('Voice'), (call) => call.voice_id],
    [t('Length'), (call) => length(call.duration_s)],
    [t('Ended by'), (call) => endReason(call.end_reason)],
    [t('Outcome'), (call) => orNothing(call.outcome)],
    [t('Latency p50 (ms)'), (call) => number(call.latency_ms?.p50)],
    [t('Latency p95 (ms)'), (call) => number(call.latency_ms?.p95)],
    [t('Turns'), (call) => number(call.turns?.length ?? 0)],
    [t('Interruptions'), (call) => number(interruptions(call))],
    [t('Tool calls'), (call) => number(call.tool_calls?.length ?? 0)],
    [t('Cost'), (_call, nth) => formatCurrency(costs[nth])],
  ];
  return (
    <Page title={t('Two calls')}>
      <div class="card">
        <Table
          caption={t('Two calls')}
          rows={rows.map(([label, of]) => ({ id: label, values: calls.map(of) }))}
          columns={[
            { label: t('What'), of: ({ id }) => id },
            { label: time(calls[0].started_at), of: ({ values }) => values[0] },
            { label: `${time(calls[1].started_at)} `, of: ({ values }) => values[1] },
          ]}
        />
      </div>
      <div class="two">
        {calls.map((call) => (
          <section
            key={call.call_id}
            class="card"
            aria-label={t('Call of {when}', { when: time(call.started_at) })}
          >
            <div class="row ends">
              <h2>
                <a href={to('calls', call.call_id)}>{time(call.started_at)}</a>
              </h2>
              <StateBadge of={call.status} />
            </div>
            <TranscriptList lines={(call.transcript?.entries ?? []).map(lineOf)} />
          </section>
        ))}
      </div>
    </Page>
  );
}
