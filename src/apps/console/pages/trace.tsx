import { useState } from 'preact/hooks';
import { type Json, patch, post, put } from '../data/api.ts';
import { orNothing, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { samplesOf } from '../kit/code.tsx';
import { Form } from '../kit/form.tsx';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { notify } from '../kit/toast.tsx';

const sourceOf = ({ source }: Json) => {
  if (source.id === null) return source.kind;
  return <a href={to(source.kind === 'call' ? 'calls' : 'jobs', source.id)}>{source.kind}</a>;
};

interface FoundProps {
  readonly path: string;
  readonly caption: string;
  readonly turn: number;
}

function Found({ path, caption, turn }: FoundProps) {
  const move = (status: string) => (row: Json) => quietly(patch(`${path}/${row.id}`, { status }));
  return (
    <Resource
      caption={caption}
      path={path}
      empty={t('Nothing was found.')}
      turn={turn}
      nameOf={(row) => row.title}
      columns={[
        { label: t('Rule'), of: (row) => row.title },
        { label: t('Pack'), of: (row) => row.pack_id },
        { label: t('Severity'), of: (row) => <StateBadge of={row.severity} /> },
        { label: t('Words'), of: (row) => row.quote },
        { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
        { label: t('When'), of: (row) => time(row.created_at) },
      ]}
      acts={[
        { label: t('Acknowledge'), when: ({ status }) => status === 'open', run: move('acknowledged') },
        { label: t('Dismiss'), when: ({ status }) => status === 'open', run: move('dismissed') },
        { label: t('Remediated'), when: ({ status }) => status === 'acknowledged', run: move('remediated') },
      ]}
    />
  );
}

/** The security code of a card must not be said, by the pack PII; the card's number is a finding. */
const EXAMPLE = {
  transcript: {
    turns: [
      { speaker: 'agent', text: 'Good morning. How would you like to pay?' },
      { speaker: 'customer', text: 'By card.' },
      { speaker: 'agent', text: 'Please tell me its number, and the security code on its back.' },
      { speaker: 'customer', text: '4111 1111 1111 1111, and the code is 123.' },
    ],
  },
};

export function Trace() {
  const [turn, setTurn] = useState(0);
  const agents = useLoad('/v1/agents?limit=100');
  const names = new Map<string, string>((agents.data?.data ?? []).map(({ id, name }: Json) => [id, name]));
  const judge = async () => {
    await post('/v1/trace/interactions', EXAMPLE);
    setTurn((one) => one + 1);
    notify(t('The example is loaded.'));
  };
  return (
    <Page
      title={t('Trace')}
      lead={t(
        'Every call is judged by the rule packs below; each finding quotes the words and can be proved.',
      )}
    >
      <h2>{t('Violations')}</h2>
      <Found path="/v1/trace/violations" caption={t('Violations')} turn={turn} />
      <h2>{t('Findings')}</h2>
      <Found path="/v1/trace/findings" caption={t('Findings')} turn={turn} />
      <h2>{t('Conversations')}</h2>
      <Resource
        caption={t('Conversations')}
        path="/v1/trace/interactions"
        turn={turn}
        teach={{
          icon: 'shield',
          says: t(
            'Trace judges each call when it ends. The example is a conversation in which an agent asks for the security code of a card.',
          ),
          example: { label: t('Load an example'), run: judge },
          samples: samplesOf('POST', '/v1/trace/interactions', EXAMPLE),
        }}
        columns={[
          { label: t('When'), of: (row) => time(row.created_at) },
          { label: t('From'), of: sourceOf },
          { label: t('Verdict'), of: (row) => <StateBadge of={row.verdict} /> },
          { label: t('Agent'), of: (row) => orNothing(names.get(row.agent_id) ?? row.agent_id) },
        ]}
        acts={[
          {
            label: t('Judge again'),
            run: async (row) => {
              const { same } = await post(`/v1/trace/interactions/${row.id}/rerun`);
              return (
                <p role="status">{same ? t('The same verdict, to the byte.') : t('The verdict differs.')}</p>
              );
            },
          },
        ]}
      />
      <BeforeCalls />
      <h2>{t('Consents to be called')}</h2>
      <Resource
        caption={t('Consents to be called')}
        path="/v1/trace/consents"
        empty={t('No consent is recorded yet.')}
        nameOf={(row) => row.phone_number}
        columns={[
          { label: t('Number'), of: (row) => row.phone_number },
          { label: t('Basis'), of: (row) => row.basis.replaceAll('_', ' ') },
          { label: t('Proof'), of: (row) => orNothing(row.evidence) },
          { label: t('When'), of: (row) => time(row.obtained_at) },
          { label: t('Revoked'), of: (row) => time(row.revoked_at) },
        ]}
        create={{
          label: t('Record a consent'),
          fields: [
            {
              name: 'phone_number',
              label: t('Number'),
              needed: true,
              hint: t('With the country code: +15550100.'),
            },
            {
              name: 'basis',
              label: t('Basis'),
              kind: 'choice',
              options: [
                ['prior_express_consent', t('The person agreed')],
                ['prior_express_written_consent', t('The person agreed in writing')],
              ],
              value: 'prior_express_consent',
            },
            { name: 'evidence', label: t('Proof'), hint: t('Where and how the person agreed.') },
          ],
          send: (values) => post('/v1/trace/consents', { ...values, obtained_at: Date.now() }),
        }}
        acts={[
          {
            label: t('Revoke'),
            danger: true,
            when: ({ revoked_at }) => revoked_at === null,
            run: (row) => quietly(post(`/v1/trace/consents/${row.id}/revoke`)),
          },
        ]}
      />
      <h2>{t('Rule packs')}</h2>
      <Resource
        caption={t('Rule packs')}
        path="/v1/trace/rule-packs"
        nameOf={(row) => row.pack_id}
        columns={[
          { label: t('Pack'), of: (row) => row.pack_id },
          { label: t('Version'), of: (row) => row.version },
          { label: t('Jurisdiction'), of: (row) => row.jurisdiction },
          { label: t('State'), of: (row) => <StateBadge of={row.status} /> },
        ]}
        create={{
          label: t('Upload a pack'),
          fields: [{ name: 'yaml', label: t('Pack (YAML)'), kind: 'area', needed: true }],
        }}
      />
    </Page>
  );
}

/** The rules that every outbound call must keep. */
function BeforeCalls() {
  const { data } = useLoad('/v1/trace/config');
  if (data === null) return null;
  const { object: _object, agent_id: _agent, gate, ...settings } = data;
  const save = ({ require_consent, from, to: until }: Json) => {
    const quiet_hours = from && until ? { from, to: until } : null;
    return put('/v1/trace/config', { ...settings, gate: { ...gate, require_consent, quiet_hours } });
  };
  return (
    <section class="card" aria-label={t('Before each call')}>
      <h2>{t('Before each call')}</h2>
      <Form
        submit={t('Save')}
        onSubmit={save}
        fields={[
          {
            name: 'require_consent',
            label: t('Call only people with a recorded consent'),
            kind: 'check',
            value: gate.require_consent,
          },
          {
            name: 'from',
            label: t('Quiet from'),
            value: gate.quiet_hours?.from,
            hint: t('In the time zone of the called number. Empty: at any hour.'),
          },
          { name: 'to', label: t('Quiet until'), value: gate.quiet_hours?.to },
        ]}
      />
    </section>
  );
}
