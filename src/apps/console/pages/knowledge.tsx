import { post, remove } from '../data/api.ts';
import { number, time } from '../data/format.ts';
import { go, to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { samplesOf } from '../kit/code.tsx';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { makeExampleBase } from './example-base.ts';
import { LANGUAGE_CHOICES } from './languages.ts';

export function Knowledge() {
  return (
    <Page title={t('Knowledge')}>
      <Resource
        caption={t('Knowledge bases')}
        path="/v1/knowledgebases"
        teach={{
          icon: 'book',
          says: t(
            'Agents answer from knowledge bases: documents, pages and files that are cut into passages.',
          ),
          example: { label: t('Load an example'), run: makeExampleBase },
          samples: samplesOf('POST', '/v1/knowledgebases', { name: 'Opening hours' }),
        }}
        columns={[
          { label: t('Name'), of: (row) => <a href={to('knowledge', row.id)}>{row.name}</a> },
          { label: t('Id'), of: (row) => <code>{row.id}</code> },
          { label: t('Language'), of: (row) => row.language },
          { label: t('Documents'), of: (row) => number(row.documents), numeric: true },
          { label: t('Passages'), of: (row) => number(row.passages), numeric: true },
          { label: t('Changed'), of: (row) => time(row.updated_at) },
        ]}
        create={{
          label: t('Make a knowledge base'),
          send: async (values) => {
            const base = await post('/v1/knowledgebases', values);
            go('knowledge', base.id);
            return base;
          },
          fields: [
            { name: 'name', label: t('Name'), needed: true },
            {
              name: 'description',
              label: t('Contents'),
              hint: t('In a few words. You add the documents next.'),
            },
            {
              name: 'language',
              label: t('Language'),
              kind: 'choice',
              options: LANGUAGE_CHOICES,
              value: 'en',
            },
          ],
        }}
        acts={[
          { label: t('Remove'), danger: true, run: (row) => quietly(remove(`/v1/knowledgebases/${row.id}`)) },
        ]}
      />
    </Page>
  );
}
