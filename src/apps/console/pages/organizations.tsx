import { useState } from 'preact/hooks';
import { ApiRefusal, type Json } from '../data/api.ts';
import { time } from '../data/format.ts';
import { askAsOperator, hasOperatorToken, setOperatorToken } from '../data/operator.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Form } from '../kit/form.tsx';
import { Page } from '../kit/page.tsx';
import { Table } from '../kit/table.tsx';

const ENTITLEMENTS = ['telephony', 'messages', 'trace', 'call_integrations'] as const;

export function Organizations() {
  const [rows, setRows] = useState<readonly Json[] | null>(null);
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
  const enter = async ({ token }: Json) => {
    setOperatorToken(token);
    try {
      await read(undefined, null);
    } catch (thrown) {
      setOperatorToken(null);
      const isRefused = thrown instanceof ApiRefusal && [401, 403].includes(thrown.status);
      throw isRefused ? new Error(t('This is not the operator’s token.')) : thrown;
    }
  };
  const grant = async (row: Json, name: string, isGranted: boolean) => {
    const path = `/v1/organizations/${row.id}/entitlements/${name}`;
    const { entitlements } = await askAsOperator(isGranted ? 'PUT' : 'DELETE', path);
    setRows((known) => (known ?? []).map((one) => (one.id === row.id ? { ...one, entitlements } : one)));
  };
  if (rows === null || !hasOperatorToken())
    return (
      <Page title={t('All organizations')}>
        <p>{t('This page is the operator’s. It asks for the token of TRUNKLINE_OPERATOR_TOKEN.')}</p>
        <Form
          fields={[{ name: 'token', label: t('Operator’s token'), kind: 'password', needed: true }]}
          submit={t('Open')}
          onSubmit={enter}
        />
      </Page>
    );
  return (
    <Page title={t('All organizations')}>
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
          { label: t('Name'), of: (row) => row.name },
          { label: 'ID', of: (row) => <code>{row.id}</code> },
          { label: t('Plan'), of: (row) => row.plan },
          { label: t('Made'), of: (row) => time(row.created_at) },
          { label: t('Entitlements'), of: (row) => row.entitlements.join(', ') || '–' },
        ]}
        actions={(row) =>
          ENTITLEMENTS.map((name) => {
            const has = row.entitlements.includes(name);
            return (
              <ActionButton
                key={`${name} ${has}`}
                label={has ? t('Take back {what}', { what: name }) : t('Grant {what}', { what: name })}
                of={row.name}
                danger={has}
                run={() => grant(row, name, !has)}
              />
            );
          })
        }
      />
      {cursor !== null && <ActionButton label={t('More')} run={() => read(search, cursor)} />}
    </Page>
  );
}
