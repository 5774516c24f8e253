import { post } from '../data/api.ts';
import { number, orNothing, percent, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { AuthorizedImage } from '../kit/authorized-image.tsx';
import { FactList } from '../kit/fact-list.tsx';
import { Form } from '../kit/form.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Evidence } from './amd-evidence.tsx';

const CLASSES = [
  'human',
  'voicemail',
  'ivr',
  'receptionist',
  'screening',
  'dead_number',
  'fax',
  'no_answer',
  'unknown',
].map((one) => [one, one.replaceAll('_', ' ')] as const);

export function AmdCall({ id }: { readonly id: string }) {
  const { data, error, reload } = useLoad(`/v1/amd/calls/${id}`);
  if (data === null)
    return (
      <Page title={t('Judged call')}>
        <LoadingState error={error} />
      </Page>
    );
  return (
    <Page title={t('Judged call of {when}', { when: time(data.created_at) })}>
      <div class="card">
        <FactList
          of={[
            [t('Answered by'), <StateBadge key="by" of={data.answered_by} />],
            [t('Sure'), percent(data.confidence)],
            [t('After (ms)'), number(data.at_ms)],
            [t('Because'), data.reason],
            [t('Words'), orNothing(data.transcript)],
            [t('Actual'), orNothing(data.corrected_to)],
          ]}
        />
      </div>
      <AuthorizedImage path={`/v1/amd/calls/${id}/picture`} label={t('The call’s evidence over its time')} />
      <h2>{t('Evidence')}</h2>
      <div class="card">
        <Evidence of={data.evidence} />
      </div>
      <div class="card">
        <Form
          submit={t('Correct')}
          fields={[
            {
              name: 'answered_by',
              label: t('Who really answered'),
              kind: 'choice',
              options: CLASSES,
              value: data.corrected_to ?? data.answered_by,
            },
          ]}
          onSubmit={async (values) => {
            await post(`/v1/amd/calls/${id}/verdict`, values);
            reload();
          }}
        />
      </div>
    </Page>
  );
}
