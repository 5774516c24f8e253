import { patch, post, remove } from '../data/api.ts';
import { time, yesNo } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { OneTimeSecret } from '../kit/one-time-secret.tsx';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';

const ROLES = [
  ['analyst', t('Analyst: reads')],
  ['developer', t('Developer: also makes keys')],
  ['admin', t('Admin: also people and secrets')],
  ['owner', t('Owner')],
] as const;

export function Members() {
  return (
    <Page title={t('Members')}>
      <Resource
        caption={t('Members')}
        path="/v1/members"
        nameOf={(row) => row.email}
        columns={[
          { label: t('E-mail'), of: (row) => row.email },
          { label: t('Name'), of: (row) => row.name || '–' },
          { label: t('Role'), of: (row) => row.role },
          {
            label: t('Projects'),
            of: (row) => (row.project_ids === null ? t('All') : row.project_ids.length),
          },
          { label: t('Confirmed'), of: (row) => yesNo(row.email_verified) },
        ]}
        acts={[
          ...ROLES.map(([role, label]) => ({
            label,
            when: (row: { role: string }) => row.role !== role && row.role !== 'owner',
            run: (row: { id: string }) => quietly(patch(`/v1/members/${row.id}`, { role })),
          })),
          {
            label: t('Remove from organization'),
            danger: true,
            when: (row) => row.role !== 'owner',
            run: (row) => quietly(remove(`/v1/members/${row.id}`)),
          },
        ]}
      />
      <h2>{t('Invitations')}</h2>
      <Resource
        caption={t('Invitations')}
        path="/v1/members/invitations"
        empty={t('No invitation is open.')}
        nameOf={(row) => row.email}
        columns={[
          { label: t('E-mail'), of: (row) => row.email },
          { label: t('Role'), of: (row) => row.role },
          { label: t('Valid until'), of: (row) => time(row.expires_at) },
        ]}
        create={{
          label: t('Invite a person'),
          fields: [
            { name: 'email', label: t('E-mail'), kind: 'email', needed: true },
            { name: 'role', label: t('Role'), kind: 'choice', options: ROLES, value: 'developer' },
          ],
          made: (answer) =>
            answer.url === null ? (
              <p role="status">{t('The link was sent to {email}.', { email: answer.email })}</p>
            ) : (
              <OneTimeSecret label={t('Link for {email}', { email: answer.email })} text={answer.url} />
            ),
        }}
        acts={[
          {
            label: t('Withdraw'),
            danger: true,
            run: (row) => quietly(remove(`/v1/members/invitations/${row.id}`)),
          },
        ]}
      />
      <h2>{t('Projects')}</h2>
      <Resource
        caption={t('Projects')}
        path="/v1/projects"
        columns={[
          { label: t('Name'), of: (row) => row.name },
          { label: t('Id'), of: (row) => <code>{row.id}</code> },
          { label: t('Created'), of: (row) => time(row.created_at) },
        ]}
        create={{
          label: t('Create a project'),
          fields: [{ name: 'name', label: t('Name'), needed: true }],
          send: (values) => post('/v1/projects', values),
        }}
      />
    </Page>
  );
}
