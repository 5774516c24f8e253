import { useState } from 'preact/hooks';
import { midnight } from '../data/analytics.ts';
import type { Json } from '../data/api.ts';
import { number, percent } from '../data/format.ts';
import { type Loaded, useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { Choose } from '../kit/choose.tsx';
import { ErrorNotice } from '../kit/page.tsx';
import { Table } from '../kit/table.tsx';
import type { Flow } from './document.ts';
import type { EdgeMark, Marks, NodeMark } from './marks.ts';
import { edgeIn, nodeIn } from './path-marks.ts';

export interface Funnel {
  readonly loaded: Loaded;
  readonly days: string;
  readonly setDays: (days: string) => void;
  readonly version: string;
  readonly setVersion: (version: string) => void;
}

export function useFunnel(agentId: string, isOn: boolean): Funnel {
  const [days, setDays] = useState('7');
  const [version, setVersion] = useState('');
  const of = version === '' ? '' : `&version=${version}`;
  const loaded = useLoad(
    isOn ? `/v1/analytics/flows?agent_id=${agentId}&from=${midnight(Number(days) - 1)}${of}` : null,
  );
  return { loaded, days, setDays, version, setVersion };
}

export function funnelMarks(flow: Flow, graphName: string, data: Json): Marks {
  const nodes = new Map<string, NodeMark>();
  const edges = new Map<number, EdgeMark>();
  if (data === null) return { nodes, edges };
  for (const { node, calls } of data.nodes) {
    const id = nodeIn(flow, graphName, node);
    if (id === null || (nodes.has(id) && node !== id)) continue;
    nodes.set(id, { figure: `${number(calls)} · ${percent(data.calls === 0 ? 0 : calls / data.calls)}` });
  }
  const counts = new Map<number, number>();
  for (const { from, to, left_by, calls } of data.edges) {
    const [start, end] = [nodeIn(flow, graphName, from), nodeIn(flow, graphName, to)];
    const at = start === end && from !== to ? null : edgeIn(flow, graphName, start, end, left_by);
    if (at !== null) counts.set(at, (counts.get(at) ?? 0) + calls);
  }
  for (const [at, calls] of counts) edges.set(at, { figure: number(calls), isTaken: true });
  return { nodes, edges };
}

export interface FunnelPanelProps {
  readonly funnel: Funnel;
  readonly versions: readonly Json[];
}

export function FunnelPanel({ funnel, versions }: FunnelPanelProps) {
  const { loaded, days, setDays, version, setVersion } = funnel;
  const { data, error } = loaded;
  return (
    <>
      <h2>{t('Steps that calls reach')}</h2>
      <div class="filters">
        <Choose
          label={t('Period')}
          value={days}
          onChange={setDays}
          options={[
            ['1', t('Today')],
            ['7', t('Seven days')],
            ['30', t('Thirty days')],
            ['90', t('Ninety days')],
          ]}
        />
        <Choose
          label={t('Version')}
          value={version}
          onChange={setVersion}
          options={[
            ['', t('All')],
            ...versions.map((one) => [String(one.version), String(one.version)] as const),
          ]}
        />
      </div>
      <ErrorNotice error={error} />
      {data?.truncated && (
        <p class="alert">{t('Only the newest 20,000 calls of this period are counted.')}</p>
      )}
      {data !== null && (
        <>
          <p>{t('Calls through the flow: {n}', { n: number(data.calls) })}</p>
          <Table
            caption={t('Calls by step')}
            empty={t('No call of this period went through the flow.')}
            rows={data.nodes.map((row: Json) => ({ id: row.node, ...row }))}
            columns={[
              { label: t('Step'), of: ({ node }) => node },
              {
                label: t('Reached'),
                of: ({ calls }) => number(calls),
                numeric: true,
                sort: ({ calls }) => calls,
              },
              {
                label: t('Went on'),
                of: ({ went_on }) => number(went_on),
                numeric: true,
                sort: ({ went_on }) => went_on,
              },
              {
                label: t('Ended here'),
                of: ({ ended }) => number(ended),
                numeric: true,
                sort: ({ ended }) => ended,
              },
            ]}
          />
        </>
      )}
    </>
  );
}
