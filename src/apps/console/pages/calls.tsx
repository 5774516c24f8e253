import { length, number, orNothing, time } from '../data/format.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Empty } from '../kit/empty.tsx';
import { Page } from '../kit/page.tsx';
import { PagedTable } from '../kit/paged-table.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

export function Calls() {
  return (
    <Page title={t('Call records')}>
      <div class="card">
        <PagedTable
          caption={t('Call records')}
          path="/v1/omni/calls"
          empty={
            <Empty
              icon="phone"
              says={t(
                'Each call of an agent leaves a record: its sound, its words, its latency, and what it cost.',
              )}
            />
          }
          columns={[
            { label: t('Begun'), of: (row) => <a href={to('calls', row.call_id)}>{time(row.started_at)}</a> },
            { label: t('Agent'), of: (row) => orNothing(row.session_label ?? row.agent_id) },
            { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
            { label: t('Ended by'), of: (row) => orNothing(row.end_reason?.replaceAll('_', ' ')) },
            { label: t('Length'), of: (row) => length(row.duration_s), numeric: true },
            {
              label: t('Latency p50 (ms)'),
              of: (row) => number(row.latency_ms?.p50),
              numeric: true,
            },
          ]}
        />
      </div>
    </Page>
  );
}
