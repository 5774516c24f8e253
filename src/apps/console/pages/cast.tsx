import { post, remove } from '../data/api.ts';
import { number, time } from '../data/format.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { samplesOf } from '../kit/code.tsx';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';

const EXAMPLE = { title: 'Two friends', script: 'Ann: Hello, Ben.\nBen: Good day, Ann. Is it raining?' };

export function Cast() {
  return (
    <Page title={t('Cast')}>
      <Resource
        caption={t('Projects')}
        path="/v1/cast/projects"
        teach={{
          icon: 'cast',
          says: t(
            'A cast is a script for several voices: you direct each line, and the script is rendered as one recording.',
          ),
          example: { label: t('Load an example'), run: () => post('/v1/cast/projects', EXAMPLE) },
          samples: samplesOf('POST', '/v1/cast/projects', EXAMPLE),
        }}
        nameOf={(row) => row.title}
        columns={[
          { label: t('Title'), of: (row) => <a href={to('cast', row.id)}>{row.title || row.id}</a> },
          { label: t('Language'), of: (row) => row.language },
          { label: t('Lines'), of: (row) => number(row.line_count), numeric: true },
          { label: t('Changed'), of: (row) => time(row.updated_at) },
        ]}
        create={{
          label: t('Make a project of a script'),
          fields: [
            { name: 'title', label: t('Title'), needed: true },
            {
              name: 'script',
              label: t('Script'),
              kind: 'area',
              needed: true,
              hint: t('A line each: who speaks, a colon, the words.'),
            },
          ],
        }}
        acts={[
          { label: t('Remove'), danger: true, run: (row) => quietly(remove(`/v1/cast/projects/${row.id}`)) },
        ]}
      />
    </Page>
  );
}
