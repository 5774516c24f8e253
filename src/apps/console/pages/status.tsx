import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { t } from '../i18n/index.ts';
import { LoadingState, Page } from '../kit/page.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';

/** A server that is not ready says so with 503, and in the same words. */
async function readiness(): Promise<Json> {
  return await (await fetch('/readyz')).json();
}

export function Status() {
  const [data, setData] = useState<Json>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    const ask = () => readiness().then(setData, setError);
    void ask();
    const timer = setInterval(ask, 5_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Page title={t('Status')}>
      {data === null ? (
        <LoadingState error={error} />
      ) : (
        <div class="card">
          <p>
            <StateBadge of={data.status} />
          </p>
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
        </div>
      )}
    </Page>
  );
}
