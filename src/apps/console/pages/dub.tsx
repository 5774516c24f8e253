import { remove } from '../data/api.ts';
import { length, percent, time } from '../data/format.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { isWorking, submitFile } from './jobs.tsx';

const FROM = ['en', 'es', 'fr', 'de', 'hi', 'it', 'pt', 'nl'].map((one) => [one, one] as const);
const TO = ['en', 'es', 'fr', 'de', 'hi', 'it', 'pt', 'zh', 'ja'].map((one) => [one, one] as const);

export function Dub() {
  return (
    <Page title={t('Dub')}>
      <Resource
        caption={t('Dubs')}
        path="/v1/dub"
        teach={{
          icon: 'dub',
          says: t(
            'A dub speaks a recording in another language, in time with the original; each segment can be corrected.',
          ),
        }}
        againWhile={isWorking}
        columns={[
          { label: t('Submitted'), of: (row) => <a href={to('dub', row.id)}>{time(row.created_at)}</a> },
          { label: t('Languages'), of: (row) => `${row.source} → ${row.target}` },
          { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
          { label: t('Progress'), of: (row) => percent(row.progress), numeric: true },
          { label: t('Length'), of: (row) => length(row.duration_s), numeric: true },
          { label: t('Why'), of: (row) => row.error?.message ?? '–' },
        ]}
        create={{
          label: t('Dub a recording'),
          fields: [
            { name: 'file', label: t('File'), kind: 'file' },
            { name: 'audio_url', label: t('Or an address') },
            { name: 'source', label: t('From'), kind: 'choice', options: FROM, value: 'en' },
            { name: 'target', label: t('Into'), kind: 'choice', options: TO, value: 'es' },
          ],
          send: (values) => submitFile('/v1/dub', values),
        }}
        acts={[{ label: t('Remove'), danger: true, run: (row) => quietly(remove(`/v1/dub/${row.id}`)) }]}
      />
    </Page>
  );
}
