import { remove } from '../data/api.ts';
import { orNothing, time } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';

const purposes = (): [string, string][] => [
  ['voice', t('Voice')],
  ['recognition', t('Recognition')],
];

export function ProviderKeys() {
  return (
    <Page title={t('Speech services')}>
      <Resource
        caption={t('Speech services')}
        path="/v1/provider-keys"
        teach={{
          icon: 'voice',
          says: t(
            'With your own key of a speech service, it speaks or recognizes in your calls; this server takes over where it fails.',
          ),
        }}
        columns={[
          { label: t('Name'), of: (row) => row.name },
          { label: t('For'), of: (row) => new Map(purposes()).get(row.purpose) },
          { label: t('Kind'), of: (row) => row.kind },
          { label: t('Address'), of: (row) => row.url },
          { label: t('Model'), of: (row) => orNothing(row.model) },
          { label: t('Voice'), of: (row) => orNothing(row.voice) },
          { label: t('Allowed by the operator'), of: (row) => (row.allowed ? t('Yes') : t('No')) },
          { label: t('Changed'), of: (row) => time(row.updated_at) },
        ]}
        create={{
          label: t('Store a key'),
          fields: [
            { name: 'purpose', label: t('For'), kind: 'choice', options: purposes(), value: 'voice' },
            {
              name: 'name',
              label: t('Name'),
              needed: true,
              value: 'default',
              hint: t('Agents name it; default serves those that name none. A known name is replaced.'),
            },
            {
              name: 'kind',
              label: t('Kind'),
              kind: 'choice',
              options: ['openai', 'deepgram', 'elevenlabs'].map((kind) => [kind, kind] as const),
              value: 'openai',
            },
            {
              name: 'key',
              label: t('Key'),
              kind: 'password',
              needed: true,
              autocomplete: 'off',
              hint: t('It is stored sealed and never shown again.'),
            },
            { name: 'url', label: t('Address'), hint: t('Empty: the service’s own.') },
            { name: 'model', label: t('Model') },
            { name: 'voice', label: t('Voice'), hint: t('The service’s own name of it.') },
          ],
        }}
        acts={[
          { label: t('Remove'), danger: true, run: (row) => quietly(remove(`/v1/provider-keys/${row.id}`)) },
        ]}
      />
    </Page>
  );
}
