import { type Json, patch, post } from '../data/api.ts';
import { orNothing, time } from '../data/format.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';
import { StateBadge } from '../kit/state-badge.tsx';

const sourceOf = ({ source }: Json) => {
  if (source.id === null) return source.kind;
  return <a href={to(source.kind === 'call' ? 'calls' : 'jobs', source.id)}>{source.kind}</a>;
};

function Found({ path, caption }: { readonly path: string; readonly caption: string }) {
  const move = (status: string) => (row: Json) => quietly(patch(`${path}/${row.id}`, { status }));
  return (
    <Resource
      caption={caption}
      path={path}
      empty={t('Nothing was found.')}
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

export function Trace() {
  return (
    <Page title={t('Trace')}>
      <h2>{t('Violations')}</h2>
      <Found path="/v1/trace/violations" caption={t('Violations')} />
      <h2>{t('Findings')}</h2>
      <Found path="/v1/trace/findings" caption={t('Findings')} />
      <h2>{t('Conversations')}</h2>
      <Resource
        caption={t('Conversations')}
        path="/v1/trace/interactions"
        columns={[
          { label: t('When'), of: (row) => time(row.created_at) },
          { label: t('From'), of: sourceOf },
          { label: t('Verdict'), of: (row) => <StateBadge of={row.verdict} /> },
          { label: t('Agent'), of: (row) => orNothing(row.agent_id) },
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
