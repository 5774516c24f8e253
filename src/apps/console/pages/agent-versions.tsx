import { type Json, post, put } from '../data/api.ts';
import { percent, time } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Form } from '../kit/form.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';

export interface VersionsProps {
  readonly id: string;
  readonly rows: readonly Json[];
  readonly changed: () => void;
}

const NEWEST = 3;
const PREFIX = 'version-';

export function Versions({ id, rows, changed }: VersionsProps) {
  return (
    <div class="card">
      <h2>{t('Versions and traffic')}</h2>
      <Table
        caption={t('Versions')}
        rows={rows}
        columns={[
          { label: t('Version'), of: (row) => row.version, numeric: true },
          { label: t('State'), of: (row) => <StateBadge of={row.percent > 0 ? 'published' : 'draft'} /> },
          { label: t('Calls'), of: (row) => percent(row.percent / 100), numeric: true },
          { label: t('Made'), of: (row) => time(row.created_at) },
        ]}
        actions={(row) =>
          row.percent === 100 ? null : (
            <ActionButton
              label={t('Serve all calls')}
              of={String(row.version)}
              run={() => post(`/v1/agents/${id}/publish`, { version: row.version })}
              then={changed}
            />
          )
        }
      />
      {rows.length > 1 && <Traffic id={id} rows={rows} changed={changed} />}
    </div>
  );
}

function Traffic({ id, rows, changed }: VersionsProps) {
  const shared = rows.filter(({ percent: share }, at) => share > 0 || at < NEWEST);
  return (
    <Form
      key={JSON.stringify(shared)}
      submit={t('Split the calls')}
      fields={shared.map(({ version, percent: share }) => ({
        name: `${PREFIX}${version}`,
        label: t('Percent of calls for version {version}', { version }),
        kind: 'number',
        value: share,
      }))}
      onSubmit={async (values) => {
        const shares = Object.entries(values as Record<string, number>)
          .filter(([, share]) => share > 0)
          .map(([name, share]) => [name.slice(PREFIX.length), share]);
        await put(`/v1/agents/${id}/traffic`, Object.fromEntries(shares));
        changed();
      }}
    />
  );
}
