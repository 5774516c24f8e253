import { remove } from '../data/api.ts';
import { orNothing, time } from '../data/format.ts';
import { t } from '../i18n/index.ts';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';

export function Account() {
  return (
    <Page title={t('Your sessions')}>
      <Resource
        caption={t('Your sessions')}
        path="/auth/sessions"
        nameOf={(row) => row.agent ?? row.id}
        columns={[
          { label: t('Browser'), of: (row) => orNothing(row.agent) },
          { label: t('Address'), of: (row) => orNothing(row.address) },
          { label: t('Begun'), of: (row) => time(row.created_at) },
          { label: t('Last seen'), of: (row) => time(row.last_seen_at) },
          { label: t('This one'), of: (row) => (row.current ? t('Yes') : t('No')) },
        ]}
        acts={[
          {
            label: t('End'),
            danger: true,
            when: (row) => !row.current,
            run: (row) => quietly(remove(`/auth/sessions/${row.id}`)),
          },
        ]}
      />
      <p>
        <a class="button" href="/auth/oidc/start">
          {t('Join this account to your organization’s sign-in')}
        </a>
      </p>
    </Page>
  );
}
