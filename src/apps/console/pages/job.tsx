import type { Json } from '../data/api.ts';
import { length, orNothing, percent, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { FactList } from '../kit/fact-list.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { TranscriptList } from '../kit/transcript-list.tsx';
import { isWorking } from './jobs.tsx';

export function Job({ id }: { readonly id: string }) {
  const { data, error } = useLoad(`/v1/transcription/jobs/${id}`, isWorking);
  if (data === null)
    return (
      <Page title={t('Transcription job')}>
        <LoadingState error={error} />
      </Page>
    );
  const segments: readonly Json[] = data.segments ?? [];
  return (
    <Page title={t('Transcription job')}>
      <div class="card">
        <FactList
          of={[
            [t('Id'), <code key="id">{data.id}</code>],
            [t('State'), <StateBadge key="state" of={data.status} />],
            [t('Progress'), percent(data.progress)],
            [t('Length'), length(data.duration_s)],
            [t('Submitted'), time(data.created_at)],
            [t('Ended'), time(data.completed_at)],
            [t('Why'), orNothing(data.error)],
          ]}
        />
      </div>
      <TranscriptList
        lines={segments.map((segment, index) => ({
          key: String(index),
          role: segment.speaker ?? '',
          text: segment.text,
          startMs: segment.start * 1000,
        }))}
      />
    </Page>
  );
}
