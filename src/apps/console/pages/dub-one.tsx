import { type Json, patch, post } from '../data/api.ts';
import { length, number, percent } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { AudioClip } from '../kit/audio-clip.tsx';
import { Form } from '../kit/form.tsx';
import { ErrorNotice, LoadingState, Page } from '../kit/page.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { isWorking } from './jobs.tsx';

export function DubOne({ id }: { readonly id: string }) {
  const path = `/v1/dub/${id}`;
  const { data, error, reload } = useLoad(path, isWorking);
  const segments = useLoad(data === null ? null : `${path}/segments`);
  if (data === null)
    return (
      <Page title={t('Dub')}>
        <LoadingState error={error} />
      </Page>
    );
  return (
    <Page title={t('Dub from {source} into {target}', { source: data.source, target: data.target })}>
      <p>
        <StateBadge of={data.status} /> {percent(data.progress)} · {length(data.duration_s)}
      </p>
      {data.error && <ErrorNotice error={new Error(data.error.message)} />}
      <p class="row">
        {data.output && <AudioClip path={`${path}/download`} label={t('The dubbed audio')} />}
        {data.status === 'done' && (
          <ActionButton
            label={t('Render the changes')}
            main
            run={() => post(`${path}/render`)}
            then={reload}
          />
        )}
      </p>
      <h2>{t('Segments')}</h2>
      <ErrorNotice error={segments.error} />
      {(segments.data?.data ?? []).map((segment: Json) => (
        <Segment key={segment.number} path={path} segment={segment} changed={segments.reload} />
      ))}
      {segments.data?.data.length === 0 && <p class="quiet">{t('Nobody has said anything.')}</p>}
    </Page>
  );
}

interface SegmentProps {
  readonly path: string;
  readonly segment: Json;
  readonly changed: () => void;
}

function Segment({ path, segment, changed }: SegmentProps) {
  const { number: at, start, speaker, text, translation, spoken } = segment;
  return (
    <details class="card">
      <summary>
        {length(start)} <strong>{speaker}</strong>: {text} → {translation ?? '–'}{' '}
        {spoken && <StateBadge of={spoken.fit} />}
      </summary>
      {spoken && (
        <p class="quiet">
          {t('Spoken at {rate} of the usual pace, {error} ms from its original time.', {
            rate: percent(spoken.rate),
            error: number(spoken.error_ms),
          })}
        </p>
      )}
      <Form
        submit={t('Save')}
        fields={[
          { name: 'text', label: t('What was said'), kind: 'area', value: text },
          { name: 'translation', label: t('What is said instead'), kind: 'area', value: translation ?? '' },
        ]}
        onSubmit={async (values) => {
          await patch(`${path}/segments`, { segments: [{ number: at, ...values }] });
          changed();
        }}
      />
    </details>
  );
}
