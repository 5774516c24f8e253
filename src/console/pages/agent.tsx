import { useState } from 'preact/hooks';
import { type Json, patch, post, put } from '../data/api.ts';
import { percent, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { Act } from '../kit/act.tsx';
import { Json as Whole } from '../kit/facts.tsx';
import { type Field, Form } from '../kit/form.tsx';
import { Fault, Page, Waiting } from '../kit/page.tsx';
import { State } from '../kit/state.tsx';
import { Table } from '../kit/table.tsx';
import { Talk } from '../kit/talk.tsx';
import { LANGUAGE_CHOICES } from './languages.ts';

const choices = (...values: readonly string[]) => values.map((one) => [one, one] as const);

const fieldsOf = (agent: Json, voices: readonly Json[]): Field[] => [
  { name: 'name', label: t('Name'), value: agent.name, needed: true },
  {
    name: 'language',
    label: t('Language'),
    kind: 'choice',
    options: LANGUAGE_CHOICES,
    value: agent.language,
  },
  {
    name: 'voice_id',
    label: t('Voice'),
    kind: 'choice',
    options: [
      ['', t('The language’s own')],
      ...voices.map(({ id, name }) => [id, `${name} (${id})`] as const),
    ],
    value: agent.voice_id ?? '',
  },
  { name: 'greeting', label: t('Greeting'), value: agent.greeting },
  { name: 'consent_line', label: t('Words about recording'), value: agent.consent_line },
  {
    name: 'recordings_enabled',
    label: t('Record its calls'),
    kind: 'check',
    value: agent.recordings_enabled,
    hint: t('From the end of the words about recording on, where there are any.'),
  },
  { name: 'persona', label: t('Who the agent is'), kind: 'area', value: agent.persona },
  { name: 'vocabulary', label: t('Words to expect'), kind: 'list', value: agent.vocabulary },
  {
    name: 'barge_sensitivity',
    label: t('How easily it lets itself be interrupted'),
    kind: 'choice',
    options: choices('high', 'normal', 'low'),
    value: agent.barge_sensitivity,
  },
  {
    name: 'endpointing',
    label: t('How soon it answers'),
    kind: 'choice',
    options: choices('quick', 'normal', 'patient'),
    value: agent.endpointing,
  },
  {
    name: 'grounding',
    label: t('Answers from knowledge alone'),
    kind: 'choice',
    options: choices('strict', 'open', 'none'),
    value: agent.grounding,
  },
  { name: 'tool_ids', label: t('Tools (ids)'), kind: 'list', value: agent.tool_ids },
  { name: 'builtin_tools', label: t('Built-in tools'), kind: 'list', value: agent.builtin_tools },
  {
    name: 'knowledge_base_ids',
    label: t('Knowledge bases (ids)'),
    kind: 'list',
    value: agent.knowledge_base_ids,
  },
];

/** What can't be sent as text is left as it was. */
function changeOf(agent: Json, values: Json): Json {
  const change: Json = { ...values };
  for (const name of ['barge_sensitivity', 'endpointing'])
    if (typeof agent[name] === 'number') delete change[name];
  if (values.voice_id === undefined) change.voice_id = null;
  for (const name of ['greeting', 'consent_line', 'persona']) change[name] = values[name] ?? '';
  return change;
}

export function Agent({ id }: { readonly id: string }) {
  const { data: agent, error, reload } = useLoad(`/v1/agents/${id}`);
  const voices = useLoad('/v1/voices');
  const versions = useLoad(`/v1/agents/${id}/versions`);
  const [turn, setTurn] = useState(0);
  if (agent === null)
    return (
      <Page title={t('Agent')}>
        <Waiting error={error} />
      </Page>
    );
  const changed = () => {
    reload();
    versions.reload();
    setTurn((one) => one + 1);
  };
  return (
    <Page title={agent.name}>
      <Fault error={error} />
      <div class="two">
        <section>
          <div class="card" key={`${agent.version} ${turn} ${voices.data !== null}`}>
            <h2>{t('Settings')}</h2>
            <Form
              fields={fieldsOf(agent, voices.data?.data ?? [])}
              submit={t('Save and publish')}
              onSubmit={async (values) => {
                await patch(`/v1/agents/${id}`, changeOf(agent, values));
                changed();
              }}
            />
          </div>
        </section>
        <section>
          <Talk agentId={id} />
          <Versions id={id} rows={versions.data?.data ?? []} changed={changed} />
          <Prompt id={id} key={turn} />
        </section>
      </div>
    </Page>
  );
}

interface VersionsProps {
  readonly id: string;
  readonly rows: readonly Json[];
  readonly changed: () => void;
}

function Versions({ id, rows, changed }: VersionsProps) {
  return (
    <div class="card">
      <h2>{t('Versions and traffic')}</h2>
      <Table
        caption={t('Versions')}
        rows={rows}
        columns={[
          { label: t('Version'), of: (row) => row.version, numeric: true },
          { label: t('State'), of: (row) => <State of={row.published ? 'published' : 'draft'} /> },
          { label: t('Calls'), of: (row) => percent(row.percent / 100), numeric: true },
          { label: t('Made'), of: (row) => time(row.created_at) },
        ]}
        actions={(row) =>
          row.percent === 100 ? null : (
            <Act
              label={t('Serve all calls')}
              of={String(row.version)}
              run={() => post(`/v1/agents/${id}/publish`, { version: row.version })}
              then={changed}
            />
          )
        }
      />
      {rows.length > 1 && (
        <Form
          submit={t('Share the calls out')}
          fields={[
            {
              name: 'traffic',
              label: t('Percent of calls by version'),
              kind: 'json',
              needed: true,
              value: { [rows[0].version]: 50, [rows[1].version]: 50 },
            },
          ]}
          onSubmit={async ({ traffic }) => {
            await put(`/v1/agents/${id}/traffic`, traffic);
            changed();
          }}
        />
      )}
    </div>
  );
}

function Prompt({ id }: { readonly id: string }) {
  const { data } = useLoad(`/v1/agents/${id}/prompt`);
  if (data === null) return null;
  return (
    <details class="card">
      <summary>{t('What the model is told')}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0}>{data.system}</pre>
      <h3>{t('Tools')}</h3>
      <Whole of={data.tools} />
    </details>
  );
}
