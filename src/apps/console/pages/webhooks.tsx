import { useState } from 'preact/hooks';
import { post } from '../data/api.ts';
import { number, orNothing, time } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { OneTimeSecret } from '../kit/one-time-secret.tsx';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

export function Webhooks() {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page title={t('Webhooks')}>
      <p>{t('Every delivery is signed. For 24 hours after a rotation, it also has the old signature.')}</p>
      <p>
        <ActionButton
          label={t('Rotate the signing secret')}
          danger
          run={async () => setSecret((await post('/v1/webhooks/signing-secret')).secret)}
        />
      </p>
      {secret !== null && <OneTimeSecret label={t('Signing secret')} text={secret} />}
      <h2>{t('Deliveries')}</h2>
      <Resource
        caption={t('Deliveries')}
        path="/v1/webhooks/deliveries"
        storedAs="deliveries"
        empty={t('No event was sent. Give an address as webhook_url of a job, a number or a destination.')}
        nameOf={(row) => row.event_type}
        columns={[
          { label: t('When'), of: (row) => time(row.created_at) },
          { label: t('Event'), of: (row) => row.event_type },
          { label: t('Address'), of: (row) => row.url },
          { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
          { label: t('Attempts'), of: (row) => number(row.attempts), numeric: true },
          { label: t('Answer'), of: (row) => orNothing(row.response_status ?? row.error) },
        ]}
        acts={[
          {
            label: t('Send again'),
            run: (row) => quietly(post(`/v1/webhooks/deliveries/${row.id}/redeliver`)),
          },
        ]}
      />
    </Page>
  );
}
