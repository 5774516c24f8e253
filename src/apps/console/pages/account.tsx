import { post, remove } from '../data/api.ts';
import { orNothing, time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { ConfirmByTyping } from '../kit/confirm-by-typing.tsx';
import { Form } from '../kit/form.tsx';
import { Page } from '../kit/page.tsx';
import { quietly, Resource } from '../kit/resource.tsx';

export function Account() {
  const { data } = useLoad('/auth/session');
  const leave = async () => {
    await remove('/auth/account');
    location.reload();
  };
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
      <h2>{t('Change the password')}</h2>
      <div class="card">
        <Form
          submit={t('Change the password')}
          clears
          onSubmit={(values) => post('/auth/password/change', values)}
          fields={[
            {
              name: 'current',
              label: t('Present password'),
              kind: 'password',
              needed: true,
              autocomplete: 'current-password',
            },
            {
              name: 'password',
              label: t('New password'),
              kind: 'password',
              needed: true,
              autocomplete: 'new-password',
              hint: t('At least eight characters. Your other sessions end.'),
            },
          ]}
        />
      </div>
      <h2>{t('Delete your account')}</h2>
      <div class="card">
        <p>{t('You leave the organization. What you have made stays with it.')}</p>
        {data !== null && (
          <ConfirmByTyping label={t('Delete your account')} word={data.user.email} run={leave} />
        )}
      </div>
    </Page>
  );
}
