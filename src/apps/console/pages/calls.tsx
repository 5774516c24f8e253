import { useState } from 'preact/hooks';
import { type Json, remove } from '../data/api.ts';
import { endReason } from '../data/end-reasons.ts';
import { length, number, orNothing, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { CallTrouble, troubleOf } from '../kit/call-trouble.tsx';
import { Choose } from '../kit/choose.tsx';
import { samplesOf } from '../kit/code.tsx';
import { Empty } from '../kit/empty.tsx';
import { Page } from '../kit/page.tsx';
import { PagedTable } from '../kit/paged-table.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

const FIRST = { agent_id: '', status: '', q: '' };

export function Calls() {
  const [filter, setFilter] = useState(FIRST);
  const [turn, setTurn] = useState(0);
  const agents = useLoad('/v1/agents?limit=100');
  const names = new Map<string, string>((agents.data?.data ?? []).map(({ id, name }: Json) => [id, name]));
  const change = (part: Partial<typeof FIRST>) => setFilter({ ...filter, ...part });
  const query = Object.entries(filter)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const search = (event: Event) => {
    event.preventDefault();
    change({ q: String(new FormData(event.currentTarget as HTMLFormElement).get('q')).trim() });
  };
  return (
    <Page title={t('Call records')}>
      <form class="filters" onSubmit={search}>
        <label class="search">
          {t('Words that were said')}
          <input type="search" name="q" maxLength={200} />
        </label>
        <Choose
          label={t('Agent')}
          value={filter.agent_id}
          options={[
            ['', t('All')],
            ...(agents.data?.data ?? []).map(({ id, name }: Json) => [id, name] as const),
          ]}
          onChange={(agent_id) => change({ agent_id })}
        />
        <Choose
          label={t('State')}
          value={filter.status}
          options={[
            ['', t('All')],
            ['completed', t('Completed')],
            ['failed', t('Failed')],
          ]}
          onChange={(status) => change({ status })}
        />
        <button type="submit">{t('Search')}</button>
      </form>
      <div class="card">
        <PagedTable
          caption={t('Call records')}
          storedAs="calls"
          turn={turn}
          nameOf={(row) => `${time(row.started_at)} ${names.get(row.agent_id) ?? ''}`}
          bulk={[
            {
              label: t('Delete'),
              danger: true,
              run: (row) => remove(`/v1/omni/calls/${row.call_id}`),
            },
          ]}
          onBulkDone={() => setTurn((one) => one + 1)}
          path={`/v1/omni/calls${query === '' ? '' : `?${query}`}`}
          empty={
            query === '' ? (
              <Empty
                icon="phone"
                says={t(
                  'Each call of an agent is recorded here with its audio, transcript, latency and cost.',
                )}
                samples={samplesOf('GET', '/v1/calls')}
              />
            ) : (
              t('No call matches.')
            )
          }
          columns={[
            {
              label: t('Begun'),
              of: (row) => <a href={to('calls', row.call_id)}>{time(row.started_at)}</a>,
              sort: ({ started_at }) => started_at,
            },
            {
              label: t('Trouble'),
              of: (row) => <CallTrouble of={row} />,
              sort: (row) => troubleOf(row).length,
            },
            { label: t('Agent'), of: (row) => orNothing(names.get(row.agent_id) ?? row.session_label) },
            { label: t('State'), of: (row) => <StateBadge of={row.status} />, sort: ({ status }) => status },
            {
              label: t('Slowest answer'),
              of: (row) => (row.max_latency_ms === null ? '–' : `${number(row.max_latency_ms)} ms`),
              numeric: true,
              sort: (row) => row.max_latency_ms ?? 0,
            },
            { label: t('Outcome'), of: (row) => orNothing(row.outcome?.replaceAll('_', ' ')) },
            { label: t('Ended by'), of: (row) => endReason(row.end_reason) },
            {
              label: t('Length'),
              of: (row) => length(row.duration_s),
              numeric: true,
              sort: ({ duration_s }) => duration_s,
            },
            { label: t('Version'), of: (row) => number(row.agent_version), numeric: true },
          ]}
        />
      </div>
    </Page>
  );
}
