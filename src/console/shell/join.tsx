import { post } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { go } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Form } from '../kit/form.tsx';
import { Page, Waiting } from '../kit/page.tsx';
import { newPassword } from './new-password.ts';

/** What the link of an invitation leads to: a password, and the person is in. */
export function Join({ token, onIn }: { readonly token: string; readonly onIn: () => Promise<void> }) {
  const path = `/auth/invitations/${encodeURIComponent(token)}`;
  const { data, error } = useLoad(path);
  const accept = async (values: object) => {
    await post(path, values);
    go('home');
    await onIn();
  };
  return (
    <main class="narrow">
      <Page title={t('You are invited')}>
        {data === null ? (
          <Waiting error={error} />
        ) : (
          <div class="card">
            <p>
              {t('To {organization}, as {role}, for {email}.', {
                organization: data.organization.name,
                role: data.role,
                email: data.email,
              })}
            </p>
            <Form
              submit={t('Join')}
              onSubmit={accept}
              fields={[{ name: 'name', label: t('Name'), autocomplete: 'name' }, newPassword()]}
            />
          </div>
        )}
      </Page>
    </main>
  );
}
