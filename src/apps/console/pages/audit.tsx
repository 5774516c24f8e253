import { orNothing, time } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { JsonBlock } from '../kit/fact-list.tsx';
import { Page } from '../kit/page.tsx';
import { PagedTable } from '../kit/paged-table.tsx';

export function Audit() {
  return (
    <Page title={t('Audit log')}>
      <p>
        <a class="button" href="/v1/audit/export" download>
          {t('Download all as JSON lines')}
        </a>
      </p>
      <div class="card">
        <PagedTable
          caption={t('Audit log')}
          path="/v1/audit"
          columns={[
            { label: t('When'), of: (row) => time(row.at) },
            { label: t('Who'), of: (row) => `${row.actor.kind} ${row.actor.id}` },
            { label: t('From'), of: (row) => orNothing(row.from) },
            { label: t('What'), of: (row) => row.action },
            { label: t('On'), of: (row) => <code>{row.target}</code> },
            {
              label: t('Change'),
              of: (row) => (
                <details>
                  <summary>{t('Before and after')}</summary>
                  <JsonBlock of={{ before: row.before, after: row.after }} />
                </details>
              ),
            },
          ]}
        />
      </div>
    </Page>
  );
}
