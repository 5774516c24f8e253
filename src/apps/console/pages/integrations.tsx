import { type Json, patch, post, remove } from '../data/api.ts';
import { orNothing, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { OneTimeSecret } from '../kit/one-time-secret.tsx';
import { Page } from '../kit/page.tsx';
import { PagedTable } from '../kit/paged-table.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

const KINDS = ['webhook', 'slack', 'crm', 's3', 'email'].map((one) => [one, one] as const);
const DESTINATIONS = '/v1/integrations/destinations';

export function Integrations() {
  const events = useLoad('/v1/integrations/events');
  const types = (events.data?.data ?? []).map(({ type }: Json) => type).join(', ');
  return (
    <Page title={t('Integrations')}>
      <Resource
        caption={t('Destinations')}
        path={DESTINATIONS}
        empty={t('A destination gets the events you choose: a program, a chat, a CRM, a store or a mailbox.')}
        nameOf={(row) => row.name ?? row.url}
        columns={[
          { label: t('Name'), of: (row) => orNothing(row.name) },
          { label: t('Kind'), of: (row) => row.kind },
          { label: t('Address'), of: (row) => row.url },
          { label: t('Events'), of: (row) => row.events.join(', ') },
          { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
        ]}
        create={{
          label: t('Add a destination'),
          fields: [
            { name: 'name', label: t('Name') },
            { name: 'kind', label: t('Kind'), kind: 'choice', options: KINDS, value: 'webhook' },
            { name: 'url', label: t('Address') },
            { name: 'events', label: t('Events'), kind: 'list', needed: true, hint: types },
            {
              name: 'settings',
              label: t('Settings (JSON)'),
              kind: 'json',
              hint: t('Mail goes to addresses that have confirmed by the link in a mail to them.'),
            },
          ],
          send: (values) => post(DESTINATIONS, values),
        }}
        acts={[
          {
            label: t('Try it'),
            run: async (row) => {
              const { event_id } = await post(`${DESTINATIONS}/${row.id}/test`);
              return <p role="status">{t('The sample {id} was sent.', { id: event_id })}</p>;
            },
          },
          {
            label: t('Pause'),
            when: ({ status }) => status === 'active',
            run: (row) => quietly(patch(`${DESTINATIONS}/${row.id}`, { status: 'paused' })),
          },
          {
            label: t('Go on'),
            when: ({ status }) => status === 'paused' || status === 'gone',
            run: (row) => quietly(patch(`${DESTINATIONS}/${row.id}`, { status: 'active' })),
          },
          {
            label: t('Ask the recipients again'),
            when: ({ unconfirmed, status }) => unconfirmed.length > 0 && status !== 'paused',
            run: (row) => quietly(patch(`${DESTINATIONS}/${row.id}`, { status: 'active' })),
          },
          { label: t('Remove'), danger: true, run: (row) => quietly(remove(`${DESTINATIONS}/${row.id}`)) },
        ]}
      />
      <h2>{t('Calls of other providers')}</h2>
      <Resource
        caption={t('Calls of other providers')}
        path="/v1/integrations/calls"
        empty={t('Calls of another provider are transcribed and judged here like your own.')}
        columns={[
          { label: t('When'), of: (row) => time(row.created_at) },
          { label: t('Provider'), of: (row) => row.provider },
          { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
          { label: t('Why'), of: (row) => orNothing(row.error) },
        ]}
        create={{
          label: t('Take calls of a provider'),
          fields: [
            {
              name: 'provider',
              label: t('Provider'),
              kind: 'choice',
              options: [
                ['generic', t('Any')],
                ['aircall', 'Aircall'],
              ],
              value: 'generic',
            },
          ],
          send: ({ provider }) => post(`/v1/integrations/calls/${provider}/token`),
          made: ({ token, url }) => <OneTimeSecret label={t('Token for {url}', { url })} text={token} />,
        }}
      />
      <h2>{t('Subscriptions of automation tools')}</h2>
      <div class="card">
        <PagedTable
          caption={t('Subscriptions of automation tools')}
          path="/v1/integrations/zapier/hooks"
          columns={[
            { label: t('When'), of: (row) => time(row.created_at) },
            { label: t('Event'), of: (row) => row.event },
            { label: t('Address'), of: (row) => row.target_url },
          ]}
        />
      </div>
    </Page>
  );
}
