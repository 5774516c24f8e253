import type { Json } from '../data/api.ts';
import { length, number, orNothing } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';

const shown = (value: unknown): string => (value === undefined ? '–' : JSON.stringify(value));

export function ToolCalls({ calls }: { readonly calls: readonly Json[] }) {
  if (calls.length === 0) return null;
  return (
    <>
      <h2>{t('Tool calls')}</h2>
      <Table
        caption={t('Tool calls')}
        rows={calls}
        columns={[
          { label: t('Turn'), of: (row) => row.turn_id, numeric: true },
          { label: t('At'), of: (row) => length(row.at_ms / 1000), numeric: true },
          { label: t('Tool'), of: (row) => row.name },
          { label: t('Arguments'), of: (row) => <code>{shown(row.arguments)}</code> },
          { label: t('Answer'), of: (row) => <code>{row.error ?? shown(row.result)}</code> },
          { label: t('Duration (ms)'), of: (row) => number(row.took_ms), numeric: true },
        ]}
      />
    </>
  );
}

export function Slots({ slots }: { readonly slots: readonly Json[] }) {
  if (slots.length === 0) return null;
  return (
    <>
      <h2>{t('Values asked for')}</h2>
      <Table
        caption={t('Values asked for')}
        rows={slots}
        columns={[
          { label: t('Name'), of: (row) => row.slot },
          { label: t('Kind'), of: (row) => row.kind },
          { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
          { label: t('Confirmed by'), of: (row) => orNothing(row.confirmed?.replaceAll('_', ' ')) },
          { label: t('Attempts'), of: (row) => number(row.attempts), numeric: true },
        ]}
      />
    </>
  );
}

export function Extraction({ data }: { readonly data: Json }) {
  if (!data) return null;
  const { extracted, missing } = data;
  return (
    <>
      <h2>{t('Captured values')}</h2>
      <Table
        caption={t('Captured values')}
        rows={[...Object.keys(extracted), ...missing].map((name) => ({ id: name, value: extracted[name] }))}
        columns={[
          { label: t('Name'), of: (row) => row.id },
          { label: t('Value'), of: (row) => shown(row.value) },
        ]}
      />
    </>
  );
}
