import { useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { number } from '../data/format.ts';
import { askAsOperator, useOperatorList } from '../data/operator.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { type Field, Form } from '../kit/form.tsx';
import { LoadingState } from '../kit/page.tsx';
import { Table } from '../kit/table.tsx';
import { OperatorOnly } from './operator-only.tsx';

export const Plans = () => (
  <OperatorOnly title={t('Plans and prices')}>
    <PlanList />
    <PriceList />
  </OperatorOnly>
);

const LIMITS: readonly (readonly [name: string, label: string])[] = [
  ['rps', t('Requests a second')],
  ['burst', t('Burst')],
  ['concurrency', t('Concurrent live sessions')],
  ['daily_cap_units', t('Seconds a day')],
  ['quota_units', t('Seconds a month')],
  ['numbers_max', t('Telephone numbers')],
  ['storage_bytes', t('Bytes of files')],
];

function PlanList() {
  const { rows, error, again } = useOperatorList('/v1/plans');
  const [chosen, setChosen] = useState<Json | null>(null);
  if (rows === null) return <LoadingState error={error} />;
  const save = async ({ id, ...values }: Json) => {
    await askAsOperator('PUT', `/v1/plans/${encodeURIComponent(chosen?.id ?? id)}`, values);
    setChosen(null);
    again();
  };
  const named: readonly Field[] = chosen === null ? [{ name: 'id', label: t('Name'), needed: true }] : [];
  return (
    <div class="card">
      <h2>{t('Plans')}</h2>
      <Table
        caption={t('Plans')}
        rows={rows}
        columns={[
          { label: t('Plan'), of: (row) => <code>{row.id}</code>, sort: (row) => row.id },
          ...LIMITS.map(([name, label]) => ({
            label,
            of: (row: Json) => number(row[name]),
            numeric: true,
          })),
        ]}
        actions={(row) => <ActionButton label={t('Change')} of={row.id} run={async () => setChosen(row)} />}
      />
      <h3>{chosen === null ? t('New plan') : t('Change plan {plan}', { plan: chosen.id })}</h3>
      <p class="quiet">
        {t('A limit that is left empty stays as it is; a new plan takes it from standard.')}
      </p>
      <Form
        key={chosen?.id ?? ''}
        fields={[
          ...named,
          ...LIMITS.map(([name, label]) => ({ name, label, kind: 'number' as const, value: chosen?.[name] })),
        ]}
        submit={t('Save')}
        onSubmit={save}
      />
      {chosen !== null && <ActionButton label={t('Cancel')} run={async () => setChosen(null)} />}
    </div>
  );
}

const nextMonth = (): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString().slice(0, 7);
};

function PriceList() {
  const { rows, error, again } = useOperatorList('/v1/prices');
  if (rows === null) return <LoadingState error={error} />;
  const meters = [...new Set(rows.map((row) => row.meter as string))].sort();
  const save = async ({ meter, ...values }: Json) => {
    await askAsOperator('PUT', `/v1/prices/${meter}`, values);
    again();
  };
  return (
    <div class="card">
      <h2>{t('Prices')}</h2>
      <Table
        caption={t('Prices')}
        rows={rows}
        empty={t('No price is set: nothing costs anything.')}
        columns={[
          { label: t('Meter'), of: (row) => <code>{row.meter}</code>, sort: (row) => row.meter },
          { label: t('From month'), of: (row) => row.from_month, sort: (row) => row.from_month },
          { label: t('Millionths of the currency'), of: (row) => number(row.micros), numeric: true },
          { label: t('Units per price'), of: (row) => number(row.per), numeric: true },
          { label: t('Unit'), of: (row) => row.unit },
          { label: t('Free each month'), of: (row) => number(row.free_units), numeric: true },
        ]}
      />
      <h3>{t('New price')}</h3>
      <Form
        fields={[
          meters.length > 0
            ? { name: 'meter', label: t('Meter'), kind: 'choice', options: meters.map((one) => [one, one]) }
            : { name: 'meter', label: t('Meter'), needed: true },
          { name: 'from_month', label: t('From month'), value: nextMonth(), needed: true },
          { name: 'micros', label: t('Millionths of the currency'), kind: 'number', needed: true },
          { name: 'per', label: t('Units per price'), kind: 'number', value: 1, needed: true },
          { name: 'free_units', label: t('Free each month'), kind: 'number', value: 0 },
        ]}
        submit={t('Save')}
        onSubmit={save}
        clears
      />
    </div>
  );
}
