import { time } from '../data/format.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Page } from '../kit/page.tsx';
import { Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

const COUNTRIES = ['US', 'CA', 'IN', 'GB', 'AU'].map((one) => [one, one] as const);

export function Cases() {
  return (
    <Page title={t('Compliance cases')}>
      <Resource
        caption={t('Compliance cases')}
        path="/v1/telephony/compliance-cases"
        columns={[
          { label: t('Opened'), of: (row) => <a href={to('cases', row.id)}>{time(row.created_at)}</a> },
          { label: t('Kind'), of: (row) => row.kind.replaceAll('_', ' ') },
          { label: t('Country'), of: (row) => row.country },
          { label: t('State'), of: (row) => <StateBadge of={row.state} /> },
          { label: t('Network'), of: (row) => <StateBadge of={row.network_status} /> },
        ]}
        create={{
          label: t('Open a case'),
          fields: [
            {
              name: 'kind',
              label: t('Kind'),
              kind: 'choice',
              options: [
                ['new_number', t('A new number')],
                ['port_in', t('Port-in of a number')],
              ],
              value: 'new_number',
            },
            { name: 'country', label: t('Country'), kind: 'choice', options: COUNTRIES, value: 'US' },
            { name: 'number_type', label: t('Type of number'), value: 'local', needed: true },
            { name: 'capabilities', label: t('Capabilities'), kind: 'list', value: ['voice'] },
            { name: 'use_case', label: t('What for'), needed: true },
          ],
        }}
      />
    </Page>
  );
}
