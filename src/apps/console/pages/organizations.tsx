import { useEffect, useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { formatCurrency, time } from '../data/format.ts';
import { askAsOperator } from '../data/operator.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Form } from '../kit/form.tsx';
import { LoadingState } from '../kit/page.tsx';
import { Table } from '../kit/table.tsx';
import { notify } from '../kit/toast.tsx';
import { OperatorOnly } from './operator-only.tsx';

const ENTITLEMENTS = ['telephony', 'messages', 'trace', 'call_integrations'] as const;

export const Organizations = () => (
  <OperatorOnly title={t('All organizations')}>
    <List />
  </OperatorOnly>
);

function List() {
  const [rows, setRows] = useState<readonly Json[] | null>(null);
  const [plans, setPlans] = useState<readonly string[]>([]);
  const [error, setError] = useState<Error | null>(null);
  const [cursor, setCursor] = useState<string | null>(null);
  const [search, setSearch] = useState<string | undefined>();
  const read = async (part: string | undefined, from: string | null) => {
    const query = new URLSearchParams();
    if (part) query.set('search', part);
    if (from) query.set('cursor', from);
    const { data, next_cursor } = await askAsOperator('GET', `/v1/organizations?${query}`);
    setRows((known) => (from === null ? data : [...(known ?? []), ...data]));
    setCursor(next_cursor);
    setSearch(part);
  };
  useEffect(() => {
    read(undefined, null).catch(setError);
    askAsOperator('GET', '/v1/plans').then(({ data }) => setPlans(data.map(({ id }: Json) => id)), setError);
  }, []);
  const show = (id: string, change: Json) =>
    setRows((known) => (known ?? []).map((one) => (one.id === id ? { ...one, ...change } : one)));
  const grant = async (row: Json, name: string, isGranted: boolean) => {
    const path = `/v1/organizations/${row.id}/entitlements/${name}`;
    const { entitlements } = await askAsOperator(isGranted ? 'PUT' : 'DELETE', path);
    show(row.id, { entitlements });
  };
  const move = async (row: Json, plan: string) => {
    await askAsOperator('PUT', `/v1/organizations/${row.id}/plan`, { plan });
    show(row.id, { plan });
  };
  if (rows === null) return <LoadingState error={error} />;
  return (
    <>
      <Form
        fields={[{ name: 'search', label: t('Name or id') }]}
        submit={t('Search')}
        onSubmit={({ search: part }) => read(part, null)}
      />
      <Table
        caption={t('All organizations')}
        rows={rows}
        empty={t('No organization has this name or id.')}
        columns={[
          { label: t('Name'), of: (row) => row.name, sort: (row) => row.name },
          { label: 'ID', of: (row) => <code>{row.id}</code> },
          { label: t('Plan'), of: (row) => row.plan, sort: (row) => row.plan },
          { label: t('Made'), of: (row) => time(row.created_at), sort: (row) => row.created_at },
          { label: t('Entitlements'), of: (row) => row.entitlements.join(', ') || '–' },
        ]}
        actions={(row) => (
          <>
            {ENTITLEMENTS.map((name) => {
              const has = row.entitlements.includes(name);
              return (
                <ActionButton
                  key={`${name} ${has}`}
                  label={has ? t('Revoke {what}', { what: name }) : t('Grant {what}', { what: name })}
                  of={row.name}
                  danger={has}
                  run={() => grant(row, name, !has)}
                />
              );
            })}
            {plans
              .filter((plan) => plan !== row.plan)
              .map((plan) => (
                <ActionButton
                  key={plan}
                  label={t('Move to plan {plan}', { plan })}
                  of={row.name}
                  danger
                  run={() => move(row, plan)}
                />
              ))}
          </>
        )}
      />
      {cursor !== null && <ActionButton label={t('More')} run={() => read(search, cursor)} />}
      {rows.length > 0 && <Credit rows={rows} />}
    </>
  );
}

function Credit({ rows }: { readonly rows: readonly Json[] }) {
  const add = async ({ org_id, amount, note }: Json) => {
    const { balance_micros } = await askAsOperator('POST', '/v1/billing/credits', {
      org_id,
      amount_micros: Math.round(amount * 1e6),
      ...(note ? { note } : {}),
    });
    notify(t('The balance is {sum}.', { sum: formatCurrency(balance_micros) }));
  };
  return (
    <details class="card">
      <summary>{t('Add prepaid credit')}</summary>
      <Form
        clears
        submit={t('Add')}
        onSubmit={add}
        fields={[
          {
            name: 'org_id',
            label: t('Organization'),
            kind: 'choice',
            options: rows.map(({ id, name }) => [id, `${name} (${id})`] as const),
            value: rows[0]?.id,
          },
          { name: 'amount', label: t('Amount'), kind: 'number', needed: true },
          { name: 'note', label: t('Note') },
        ]}
      />
    </details>
  );
}
