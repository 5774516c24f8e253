import { remove } from '../data/api.ts';
import { orNothing, time } from '../data/format.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { samplesOf } from '../kit/code.tsx';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { makeFirstAgent } from './first-call.tsx';
import { LANGUAGE_CHOICES } from './languages.ts';

export function Agents() {
  return (
    <Page title={t('Agents')}>
      <Resource
        caption={t('Agents')}
        path="/v1/agents"
        teach={{
          icon: 'agent',
          says: t('An agent answers and places calls: it has a voice, a greeting, knowledge and tools.'),
          example: { label: t('Load an example'), run: makeFirstAgent },
          samples: samplesOf('POST', '/v1/agents', {
            name: 'Reception',
            greeting: 'Good morning. What can I do for you?',
          }),
        }}
        columns={[
          { label: t('Name'), of: (row) => <a href={to('agents', row.id)}>{row.name}</a> },
          { label: t('Language'), of: (row) => row.language },
          { label: t('Voice'), of: (row) => orNothing(row.voice_id) },
          { label: t('Version'), of: (row) => orNothing(row.published_version), numeric: true },
          { label: t('Changed'), of: (row) => time(row.updated_at) },
        ]}
        create={{
          label: t('Make an agent'),
          fields: [
            { name: 'name', label: t('Name'), needed: true },
            {
              name: 'language',
              label: t('Language'),
              kind: 'choice',
              options: LANGUAGE_CHOICES,
              value: 'en',
            },
            { name: 'greeting', label: t('Greeting') },
            { name: 'persona', label: t('Who the agent is'), kind: 'area' },
          ],
          made: (agent) => (
            <p role="status">
              <a href={to('agents', agent.id)}>{t('Open {name}', { name: agent.name })}</a>
            </p>
          ),
        }}
        acts={[{ label: t('Remove'), danger: true, run: (row) => quietly(remove(`/v1/agents/${row.id}`)) }]}
      />
    </Page>
  );
}
