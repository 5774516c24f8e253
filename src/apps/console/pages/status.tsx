import { useReadiness } from '../data/readiness.ts';
import { t } from '../i18n/index.ts';
import { LoadingState, Page } from '../kit/page.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';

export function Status() {
  const { data, error } = useReadiness();
  return (
    <Page title={t('Status')}>
      {data === null ? (
        <LoadingState error={error} />
      ) : (
        <div class="card">
          <p>
            <StateBadge of={data.status} />
          </p>
          {data.parts.length === 0 ? (
            <p class="quiet">{t('Only the operator of this server sees its parts.')}</p>
          ) : (
            <Table
              caption={t('Parts of the server')}
              rows={data.parts}
              columns={[
                { label: t('Part'), of: (row) => row.name },
                { label: t('State'), of: (row) => <StateBadge of={row.ready ? 'ready' : 'not_ready'} /> },
                { label: t('Needed'), of: (row) => (row.required ? t('Yes') : t('No')) },
                { label: t('Why'), of: (row) => row.detail ?? '–' },
              ]}
            />
          )}
        </div>
      )}
    </Page>
  );
}
