import { useState } from 'preact/hooks';
import { analyticsPath, costPerMinute, DAY_MS, midnight, readable, shareOf } from '../data/analytics.ts';
import type { Json } from '../data/api.ts';
import { endReason } from '../data/end-reasons.ts';
import { day, formatCurrency, hour, length, number, orNothing, percent } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Choose } from '../kit/choose.tsx';
import { FigureTile } from '../kit/figure-tile.tsx';
import { ErrorNotice, LoadingState, Page } from '../kit/page.tsx';
import { Plot, type Series } from '../kit/plot.tsx';
import { ShareBars } from '../kit/share-bars.tsx';
import { Table } from '../kit/table.tsx';
import { Views } from './saved-views.tsx';

interface Measure {
  readonly label: string;
  readonly kind: 'bars' | 'lines';
  readonly unit?: string;
  readonly series: (buckets: readonly Json[]) => readonly Series[];
}

const each = (buckets: readonly Json[], of: (bucket: Json) => number | null) => buckets.map(of);
const inPercent = (part: string) => (bucket: Json) => {
  const share = shareOf(bucket[part], bucket.calls);
  return share === null ? null : share * 100;
};

const MEASURES: Readonly<Record<string, Measure>> = {
  calls: {
    label: t('Calls'),
    kind: 'bars',
    series: (buckets) => [
      { name: t('Completed'), values: each(buckets, ({ completed }) => completed) },
      { name: t('Failed'), values: each(buckets, ({ failed }) => failed), bad: true },
    ],
  },
  answered: {
    label: t('Answered'),
    kind: 'lines',
    unit: '%',
    series: (buckets) => [{ name: t('Answered'), values: each(buckets, inPercent('answered')) }],
  },
  latency: {
    label: t('Response latency'),
    kind: 'lines',
    unit: 'ms',
    series: (buckets) => [
      { name: t('p50'), values: each(buckets, ({ latency_ms }) => latency_ms.p50) },
      { name: t('p95'), values: each(buckets, ({ latency_ms }) => latency_ms.p95) },
    ],
  },
  interruptions: {
    label: t('Interruptions'),
    kind: 'bars',
    series: (buckets) => [{ name: t('Interruptions'), values: each(buckets, (one) => one.interruptions) }],
  },
  minutes: {
    label: t('Minutes'),
    kind: 'bars',
    series: (buckets) => [{ name: t('Minutes'), values: each(buckets, (one) => one.duration_ms / 60_000) }],
  },
  cost: {
    label: t('Cost'),
    kind: 'bars',
    series: (buckets) => [{ name: t('Cost'), values: each(buckets, ({ cost_micros }) => cost_micros / 1e6) }],
  },
};

const GROUPS: readonly (readonly [string, string])[] = [
  ['agent', t('Agent')],
  ['version', t('Version')],
  ['language', t('Language')],
  ['campaign', t('Campaign')],
  ['outcome', t('Outcome')],
  ['kind', t('Kind')],
  ['end_reason', t('Ended by')],
];
const YESTERDAY = 'yesterday';
const PERIODS: readonly (readonly [string, string])[] = [
  ['1', t('Today')],
  [YESTERDAY, t('Yesterday')],
  ['7', t('Seven days')],
  ['30', t('Thirty days')],
  ['90', t('Ninety days')],
];

export interface View {
  readonly measure: string;
  readonly group: string;
  readonly days: string;
  readonly agent: string;
}
const FIRST: View = { measure: 'calls', group: 'agent', days: '7', agent: '' };

function csvOf(rows: readonly Json[], group: string): string {
  const columns = [
    'calls',
    'answered',
    'completed',
    'failed',
    'turns',
    'interruptions',
    'duration_ms',
    'cost_micros',
  ];
  const quoted = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`;
  const lines = rows.map((row) =>
    [
      quoted(row.name),
      ...columns.map((name) => row[name]),
      row.latency_ms.p50 ?? '',
      row.latency_ms.p95 ?? '',
    ].join(','),
  );
  return [[group, ...columns, 'latency_p50_ms', 'latency_p95_ms'].join(','), ...lines].join('\n');
}

export function Analytics() {
  const [view, setView] = useState<View>(FIRST);
  const isYesterday = view.days === YESTERDAY;
  const days = isYesterday ? 1 : Number(view.days);
  const from = midnight(isYesterday ? 1 : days - 1);
  const interval = days === 1 ? 'hour' : 'day';
  const { data, error } = useLoad(
    analyticsPath({
      ...{ from, to: from + days * DAY_MS - 1, interval, group_by: view.group },
      agent_id: view.agent,
    }),
  );
  const agents = useLoad('/v1/agents?limit=100');
  const rows: readonly Json[] = agents.data?.data ?? [];
  const change = (name: keyof View) => (value: string) => setView({ ...view, [name]: value });
  return (
    <Page
      title={t('Analytics')}
      lead={t('How calls went over time, and what those that went badly have in common.')}
    >
      <div class="filters">
        <Choose
          label={t('Measure')}
          value={view.measure}
          options={Object.entries(MEASURES).map(([name, { label }]) => [name, label] as const)}
          onChange={change('measure')}
        />
        <Choose label={t('Period')} value={view.days} options={PERIODS} onChange={change('days')} />
        <Choose label={t('Compare by')} value={view.group} options={GROUPS} onChange={change('group')} />
        <Choose
          label={t('Agent')}
          value={view.agent}
          options={[['', t('All')], ...rows.map(({ id, name }) => [id, name] as const)]}
          onChange={change('agent')}
        />
        <Views view={view} open={setView} />
      </div>
      <ErrorNotice error={error} />
      {data === null && error === null && <LoadingState error={null} />}
      {data !== null && <Shown data={data} view={view} agents={rows} interval={interval} />}
    </Page>
  );
}

interface ShownProps {
  readonly data: Json;
  readonly view: View;
  readonly agents: readonly Json[];
  readonly interval: string;
}

function Shown({ data, view, agents, interval }: ShownProps) {
  const { total, buckets, groups, failures } = data;
  const measure = MEASURES[view.measure] as Measure;
  const perMinute = costPerMinute(total);
  const nameOf = (name: string | null): string => {
    if (name === null) return '–';
    const [id, version] = name.split('@');
    const known = agents.find((agent) => agent.id === id)?.name;
    return known === undefined ? readable(name) : version === undefined ? known : `${known} · ${version}`;
  };
  const csv = `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(groups, view.group))}`;
  return (
    <>
      {data.truncated && <p class="alert">{t('Only the newest 20,000 calls of this period are counted.')}</p>}
      <div class="cards">
        <FigureTile label={t('Calls')} value={number(total.calls)} />
        <FigureTile
          label={t('Completed')}
          value={total.calls === 0 ? '–' : percent(total.completed / total.calls)}
        />
        <FigureTile
          label={t('Response latency')}
          value={number(total.latency_ms.p50)}
          unit="ms"
          note={t('p95: {ms} ms', { ms: number(total.latency_ms.p95) })}
        />
        <FigureTile label={t('Talked')} value={length(total.duration_ms / 1000)} />
        <FigureTile
          label={t('Cost')}
          value={formatCurrency(total.cost_micros)}
          {...(perMinute === null ? {} : { note: t('{sum} a minute', { sum: formatCurrency(perMinute) }) })}
        />
      </div>
      <Plot
        title={measure.label}
        kind={measure.kind}
        labels={buckets.map(({ start }: Json) => (interval === 'hour' ? hour(start) : day(start)))}
        series={measure.series(buckets)}
        {...(measure.unit === undefined ? {} : { unit: measure.unit })}
      />
      <div class="two">
        <section class="card">
          <h2>{t('From dialed to completed')}</h2>
          <ShareBars
            rows={[
              { name: t('Calls'), value: total.calls },
              { name: t('Answered'), value: total.answered },
              { name: t('Completed'), value: total.completed },
            ]}
          />
        </section>
        <section class="card">
          <h2>{t('Why calls failed')}</h2>
          {failures.length === 0 ? (
            <p class="quiet">{t('No call failed.')}</p>
          ) : (
            <ShareBars
              bad
              rows={failures.map(({ reason, calls }: Json) => ({ name: endReason(reason), value: calls }))}
            />
          )}
        </section>
      </div>
      <section class="card">
        <div class="row ends">
          <h2>{t('Compared')}</h2>
          <a class="button" href={csv} download={`calls-by-${view.group}.csv`}>
            {t('Download as CSV')}
          </a>
        </div>
        <Table
          caption={t('Compared')}
          rows={groups.map((row: Json) => ({ id: row.name ?? '', ...row }))}
          columns={[
            {
              label: GROUPS.find(([name]) => name === view.group)?.[1] ?? '',
              of: ({ name }) =>
                view.group === 'agent' && name !== null ? (
                  <a href={to('agents', name)}>{nameOf(name)}</a>
                ) : (
                  orNothing(nameOf(name))
                ),
            },
            {
              label: t('Calls'),
              of: ({ calls }) => number(calls),
              numeric: true,
              sort: ({ calls }) => calls,
            },
            {
              label: t('Answered'),
              of: ({ answered, calls }) => percent(answered / calls),
              numeric: true,
              sort: ({ answered, calls }) => answered / calls,
            },
            {
              label: t('Completed'),
              of: ({ completed, calls }) => percent(completed / calls),
              numeric: true,
              sort: ({ completed, calls }) => completed / calls,
            },
            {
              label: t('Latency p50 (ms)'),
              of: ({ latency_ms }) => number(latency_ms.p50),
              numeric: true,
              sort: ({ latency_ms }) => latency_ms.p50 ?? -1,
            },
            {
              label: t('Latency p95 (ms)'),
              of: ({ latency_ms }) => number(latency_ms.p95),
              numeric: true,
              sort: ({ latency_ms }) => latency_ms.p95 ?? -1,
            },
            {
              label: t('Interruptions'),
              of: ({ interruptions }) => number(interruptions),
              numeric: true,
              sort: ({ interruptions }) => interruptions,
            },
            {
              label: t('Cost'),
              of: ({ cost_micros }) => formatCurrency(cost_micros),
              numeric: true,
              sort: ({ cost_micros }) => cost_micros,
            },
          ]}
        />
      </section>
    </>
  );
}
