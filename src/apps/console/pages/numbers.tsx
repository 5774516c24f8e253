import { useState } from 'preact/hooks';
import { get, type Json, patch, post, remove } from '../data/api.ts';
import { orNothing, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { samplesOf } from '../kit/code.tsx';
import { Form } from '../kit/form.tsx';
import { PagedTable } from '../kit/paged-table.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { TelephonyPage } from '../kit/telephony-page.tsx';
import { isTrial, takeFirstNumber } from './first-number.ts';

export function Numbers() {
  const agents: readonly Json[] = useLoad('/v1/agents?limit=100').data?.data ?? [];
  const names = new Map<string, string>(agents.map(({ id, name }) => [id, name]));
  const answeredBy = (row: Json) =>
    row.agent_id === null ? (
      '–'
    ) : (
      <a href={to('agents', row.agent_id)}>{names.get(row.agent_id) ?? row.agent_id}</a>
    );
  return (
    <TelephonyPage title={t('Numbers')}>
      <Resource
        caption={t('Numbers')}
        path="/v1/telephony/numbers"
        storedAs="numbers"
        teach={{
          icon: 'number',
          says: t('A number leads telephone calls to an agent, and agents call from it.'),
          ...(isTrial()
            ? { example: { label: t('Take a trial number'), run: () => takeFirstNumber(agents[0]?.id) } }
            : {}),
          samples: samplesOf('GET', '/v1/telephony/available-numbers?country=US'),
        }}
        nameOf={(row) => row.phone_number}
        columns={[
          { label: t('Number'), of: (row) => row.phone_number },
          { label: t('Country'), of: (row) => row.country },
          { label: t('Carrier'), of: (row) => row.carrier },
          { label: t('Answered by'), of: answeredBy },
          { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
        ]}
        create={{
          label: t('Take a number'),
          isOpen: false,
          fields: [
            {
              name: 'phone_number',
              label: t('Number'),
              needed: true,
              hint: t('With the country code: +15550100.'),
            },
            {
              name: 'agent_id',
              label: t('Answered by'),
              kind: 'choice',
              options: [['', t('No agent')], ...agents.map(({ id, name }) => [id, name] as const)],
            },
          ],
        }}
        acts={[
          {
            label: t('No agent'),
            when: (row) => row.agent_id !== null && row.status !== 'released',
            run: (row) => quietly(patch(`/v1/telephony/numbers/${row.id}`, { agent_id: null })),
          },
          {
            label: t('Release'),
            danger: true,
            when: (row) => row.status !== 'released',
            run: (row) => quietly(remove(`/v1/telephony/numbers/${row.id}`)),
          },
        ]}
      />
      <AvailableNumbers />
      <h2>{t('Telephone calls')}</h2>
      <div class="card">
        <PagedTable
          caption={t('Telephone calls')}
          path="/v1/telephony/calls"
          storedAs="phone-calls"
          columns={[
            { label: t('When'), of: (row) => time(row.created_at) },
            { label: t('Direction'), of: (row) => row.direction },
            { label: t('From'), of: (row) => orNothing(row.from) },
            { label: t('To'), of: (row) => orNothing(row.to) },
            { label: t('State'), of: (row) => <StateBadge of={row.state} /> },
          ]}
        />
      </div>
      <h2>{t('Messaging apps')}</h2>
      <Resource
        caption={t('Messaging apps')}
        path="/v1/msgapp/numbers"
        nameOf={(row) => row.phone_number}
        columns={[
          { label: t('Number'), of: (row) => row.phone_number },
          { label: t('Answered by'), of: answeredBy },
          { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
        ]}
        acts={[
          {
            label: t('No agent'),
            when: (row) => row.agent_id !== null,
            run: (row) => quietly(post(`/v1/msgapp/numbers/${row.id}/assign`, { agent_id: null })),
          },
          {
            label: t('Release'),
            danger: true,
            when: (row) => row.status === 'active',
            run: (row) => quietly(remove(`/v1/msgapp/numbers/${row.id}`)),
          },
        ]}
      />
    </TelephonyPage>
  );
}

function AvailableNumbers() {
  const [found, setFound] = useState<readonly Json[] | null>(null);
  const search = async (values: Record<string, string>) => {
    const query = new URLSearchParams(values);
    setFound((await get(`/v1/telephony/available-numbers?${query}`)).data);
  };
  return (
    <div class="card">
      <h2>{t('Search numbers')}</h2>
      <Form
        submit={t('Search')}
        onSubmit={search}
        fields={[
          {
            name: 'country',
            label: t('Country'),
            needed: true,
            value: 'US',
            hint: t('Two letters: US, GB, DE.'),
          },
          { name: 'pattern', label: t('Digits in it') },
        ]}
      />
      {found?.length === 0 && <p role="status">{t('Nothing was found.')}</p>}
      <ul class="list">
        {found?.map(({ phone_number: number }) => (
          <li key={number}>
            <span class="mono">{number}</span>
            <ActionButton
              label={t('Take')}
              of={number}
              run={() => post('/v1/telephony/numbers', { phone_number: number })}
              then={() => location.reload()}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
