import { useState } from 'preact/hooks';
import { type Json, patch, post } from '../data/api.ts';
import { percent, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { AudioClip } from '../kit/audio-clip.tsx';
import { Form } from '../kit/form.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { PagedTable } from '../kit/paged-table.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { isWorking } from './jobs.tsx';

const EMOTIONS = ['neutral', 'warm', 'cheerful', 'calm', 'serious', 'sad'].map((one) => [one, one] as const);

export function CastProject({ id }: { readonly id: string }) {
  const path = `/v1/cast/projects/${id}`;
  const { data, error, reload } = useLoad(path);
  const [turn, setTurn] = useState(0);
  if (data === null)
    return (
      <Page title={t('Cast')}>
        <LoadingState error={error} />
      </Page>
    );
  return (
    <Page title={data.title || t('Cast')}>
      {data.warnings.map((warning: Json) => (
        <p key={warning.message} class="quiet">
          {warning.message}
        </p>
      ))}
      <p class="row">
        <ActionButton label={t('Direct the lines')} run={() => post(`${path}/direct`)} then={reload} />
        <ActionButton
          label={t('Render')}
          main
          run={() => post(`${path}/renders`, { format: 'mp3' })}
          then={() => setTurn(turn + 1)}
        />
      </p>
      <h2>{t('Renders')}</h2>
      <div class="card">
        <PagedTable
          caption={t('Renders')}
          path={`${path}/renders`}
          empty={t('Nothing was rendered yet.')}
          turn={turn}
          againWhile={isWorking}
          columns={[
            { label: t('When'), of: (row) => time(row.created_at) },
            { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
            { label: t('Progress'), of: (row) => percent(row.progress), numeric: true },
            {
              label: t('Sound'),
              of: (row) =>
                row.audio_available ? (
                  <AudioClip path={`/v1/cast/renders/${row.id}/audio`} label={data.title} />
                ) : (
                  '–'
                ),
            },
          ]}
        />
      </div>
      <h2>{t('Lines')}</h2>
      {data.lines.map((line: Json, index: number) => (
        <Line
          key={`${line.id} ${data.revision}`}
          path={path}
          line={line}
          number={index + 1}
          changed={reload}
        />
      ))}
    </Page>
  );
}

interface LineProps {
  readonly path: string;
  readonly line: Json;
  readonly number: number;
  readonly changed: () => void;
}

function Line({ path, line, number, changed }: LineProps) {
  return (
    <details class="card">
      <summary>
        {number}. <strong>{line.speaker}</strong>: {line.text}
      </summary>
      <Form
        submit={t('Save')}
        fields={[
          { name: 'speaker', label: t('Who speaks'), value: line.speaker },
          { name: 'text', label: t('Words'), kind: 'area', value: line.text },
          {
            name: 'emotion',
            label: t('Emotion'),
            kind: 'choice',
            options: EMOTIONS,
            value: line.direction.emotion ?? 'neutral',
          },
          { name: 'pace', label: t('Pace'), kind: 'number', value: line.direction.pace },
          {
            name: 'pause_before_ms',
            label: t('Pause before (ms)'),
            kind: 'number',
            value: line.direction.pause_before_ms,
          },
        ]}
        onSubmit={async ({ emotion, pace, pause_before_ms, ...rest }) => {
          const direction = { emotion, pace: pace ?? null, pause_before_ms: pause_before_ms ?? null };
          await patch(`${path}/lines/${line.id}`, { ...rest, direction });
          changed();
        }}
      />
    </details>
  );
}
