import { type Json, post, remove } from '../data/api.ts';
import { length, orNothing, percent, time } from '../data/format.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { curlOf } from '../kit/code.tsx';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

export const isWorking = ({ status }: Json): boolean =>
  /^(queued|processing|transcribing|translating|synthesizing|rendering)$/.test(status);

function formOf(values: Json): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values))
    if (value instanceof File) form.set(name, value);
    else form.set(name, String(value));
  return form;
}

export const submitFile = (path: string, values: Json): Promise<Json> =>
  values.file instanceof File ? post(path, formOf(values)) : post(path, values);

export function Jobs() {
  return (
    <Page title={t('Transcription jobs')}>
      <Resource
        caption={t('Transcription jobs')}
        path="/v1/transcription/jobs"
        teach={{
          icon: 'job',
          says: t(
            'A job transcribes a long recording and labels its speakers; its progress and result appear here.',
          ),
          samples: [['curl', `${curlOf('POST', '/v1/transcription/jobs')} \\\n  -F file=@call.wav`]],
        }}
        againWhile={isWorking}
        columns={[
          { label: t('Submitted'), of: (row) => <a href={to('jobs', row.id)}>{time(row.created_at)}</a> },
          { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
          {
            label: t('Progress'),
            of: (row) => (
              <progress max={1} value={row.progress} aria-label={percent(row.progress)}>
                {percent(row.progress)}
              </progress>
            ),
          },
          { label: t('Length'), of: (row) => length(row.duration_s), numeric: true },
          { label: t('Why'), of: (row) => orNothing(row.error) },
        ]}
        create={{
          label: t('Submit a recording'),
          fields: [
            { name: 'file', label: t('File'), kind: 'file' },
            { name: 'audio_url', label: t('Or an address') },
            { name: 'language', label: t('Language'), hint: t('None: it is detected automatically.') },
            { name: 'diarize', label: t('Label the speakers'), kind: 'check' },
          ],
          send: (values) => submitFile('/v1/transcription/jobs', values),
        }}
        acts={[
          {
            label: t('Remove'),
            danger: true,
            run: (row) => quietly(remove(`/v1/transcription/jobs/${row.id}`)),
          },
        ]}
      />
    </Page>
  );
}
