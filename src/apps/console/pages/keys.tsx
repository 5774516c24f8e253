import { type Json, patch, post } from '../data/api.ts';
import { formatCurrency, time } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { OneTimeSecret } from '../kit/one-time-secret.tsx';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

const lives = (row: Json): boolean =>
  row.revoked_at === null && (row.expires_at === null || row.expires_at > Date.now());

const stateOf = (row: Json): string =>
  row.revoked_at !== null ? 'revoked' : lives(row) ? 'active' : 'expired';

const shown = (answer: Json) => (
  <OneTimeSecret label={t('Key {name}', { name: answer.name })} text={answer.api_key} />
);

export function Keys() {
  return (
    <Page title={t('Keys')}>
      <Resource
        caption={t('Keys')}
        path="/v1/keys"
        nameOf={(row) => row.name || row.hint}
        columns={[
          { label: t('Name'), of: (row) => row.name || '–' },
          { label: t('Key'), of: (row) => <code>{row.hint}</code> },
          { label: t('Environment'), of: (row) => row.environment },
          { label: t('State'), of: (row) => <StateBadge of={stateOf(row)} /> },
          { label: t('Scopes'), of: (row) => row.scopes.join(', ') },
          { label: t('Monthly budget'), of: (row) => formatCurrency(row.budget_micros), numeric: true },
          { label: t('Created'), of: (row) => time(row.created_at) },
        ]}
        create={{
          label: t('Create a key'),
          made: shown,
          fields: [
            { name: 'name', label: t('Name'), needed: true },
            {
              name: 'environment',
              label: t('Environment'),
              kind: 'choice',
              options: [
                ['sandbox', t('Sandbox')],
                ['live', t('Live')],
              ],
              value: 'sandbox',
            },
            {
              name: 'scopes',
              label: t('Scopes'),
              kind: 'list',
              hint: t('One per line. If empty, all that you may grant.'),
            },
            { name: 'budget', label: t('Monthly budget'), kind: 'number' },
          ],
          send: ({ scopes, budget, ...rest }) =>
            post('/v1/keys', {
              ...rest,
              ...(scopes.length > 0 ? { scopes } : {}),
              ...(budget === undefined ? {} : { budget_micros: Math.round(budget * 1e6) }),
            }),
        }}
        acts={[
          {
            label: t('Rotate'),
            when: lives,
            danger: true,
            run: async (row) => shown(await post(`/v1/keys/${row.id}/rotate`)),
          },
          {
            label: t('No budget'),
            when: (row) => lives(row) && row.budget_micros !== null,
            run: (row) => quietly(patch(`/v1/keys/${row.id}`, { budget_micros: null })),
          },
          {
            label: t('Revoke'),
            when: lives,
            danger: true,
            run: (row) => quietly(post(`/v1/keys/${row.id}/revoke`)),
          },
        ]}
      />
    </Page>
  );
}
