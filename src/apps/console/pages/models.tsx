import type { Json } from '../data/api.ts';
import { number } from '../data/format.ts';
import { askAsOperator, useOperatorList, useOperatorObject } from '../data/operator.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Form } from '../kit/form.tsx';
import { LoadingState } from '../kit/page.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';
import { OperatorOnly } from './operator-only.tsx';

const PATH = '/v1/operator/models';
const MEGABYTE = 1e6;
const megabytes = (bytes: number | null): string => number(bytes === null ? null : bytes / MEGABYTE);

export const Models = () => (
  <OperatorOnly title={t('Models of your own')}>
    <Added />
    <Rules />
  </OperatorOnly>
);

function Added() {
  const { rows, error, again } = useOperatorList(PATH);
  if (rows === null) return <LoadingState error={error} />;
  return (
    <div class="card">
      <Table
        caption={t('Models of your own')}
        rows={rows}
        empty={t(
          'No model was added. Whisper of any size and Piper voices of any language serve without a restart.',
        )}
        columns={[
          { label: t('Name'), of: (row) => <code>{row.id}</code>, sort: (row) => row.id },
          { label: t('Kind'), of: (row) => row.kind, sort: (row) => row.kind },
          { label: t('State'), of: (row) => <StateBadge of={row.state} />, sort: (row) => row.state },
          { label: t('Languages'), of: (row) => row.languages.join(', ') || '–' },
          { label: t('Licence'), of: (row) => row.licence ?? '–' },
          { label: t('Source'), of: (row) => row.source },
          { label: t('Files (MB)'), of: (row) => megabytes(row.bytes), numeric: true },
          { label: t('Memory (MB)'), of: (row) => megabytes(row.memory_bytes), numeric: true },
          { label: t('Passage (ms)'), of: (row) => number(row.passage_ms, 1), numeric: true },
          { label: t('Real-time factor'), of: (row) => number(row.real_time_factor, 2), numeric: true },
          { label: t('Why'), of: (row) => row.detail ?? '–' },
        ]}
        actions={(row) => (
          <ActionButton
            label={t('Remove')}
            of={row.id}
            danger
            run={() => askAsOperator('DELETE', `${PATH}/${row.id}`)}
            then={again}
          />
        )}
      />
      <h2>{t('Add a model')}</h2>
      <Form
        clears
        fields={[
          {
            name: 'source',
            label: t('Source'),
            needed: true,
            hint: t('A folder or file of the server, an https:// address, or hf:OWNER/NAME@REVISION.'),
          },
          { name: 'name', label: t('Name') },
          {
            name: 'accept_licence',
            label: t('I have read the licence of the model and may use it.'),
            kind: 'check',
          },
        ]}
        submit={t('Add')}
        onSubmit={async (values) => {
          await askAsOperator('POST', PATH, values);
          again();
        }}
      />
    </div>
  );
}

function Rules() {
  const { data, error, again } = useOperatorObject('/v1/operator/routes');
  if (data === null) return <LoadingState error={error} />;
  const save = async (values: Json) => {
    await askAsOperator('PUT', '/v1/operator/routes', values);
    again();
  };
  return (
    <div class="card">
      <h2>{t('Which model serves')}</h2>
      <p class="quiet">
        {t(
          'The first rule that fits decides. Without a rule, whisper-base recognizes and the catalogue’s voices speak.',
        )}
      </p>
      <Form
        key={JSON.stringify(data)}
        fields={[
          {
            name: 'recognition',
            label: t('Recognition'),
            kind: 'json',
            value: data.recognition,
            hint: t('Such as {example}', { example: '[{"language": "hi", "use": ["my_whisper"]}]' }),
          },
          {
            name: 'partials',
            label: t('English partials'),
            kind: 'json',
            value: data.partials,
            hint: t('Such as {example}', { example: '[{"use": ["moonshine_base"]}]' }),
          },
          {
            name: 'voice',
            label: t('Voice'),
            kind: 'json',
            value: data.voice,
            hint: t('Such as {example}', { example: '[{"language": "pl", "use": ["gosia"]}]' }),
          },
          {
            name: 'embedding',
            label: t('Embedding models'),
            kind: 'json',
            value: data.embedding,
            hint: t('Such as {example}', { example: '[{"language": "de", "use": ["e5-small"]}]' }),
          },
          {
            name: 'speakers',
            label: t('Speaker encoder'),
            kind: 'json',
            value: data.speakers,
            hint: t('Such as {example}', { example: '[{"use": ["wespeaker_resnet34"]}]' }),
          },
        ]}
        submit={t('Save')}
        onSubmit={save}
      />
    </div>
  );
}
