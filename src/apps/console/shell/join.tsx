import { post } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { go, to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Form } from '../kit/form.tsx';
import { LoadingState, Page } from '../kit/page.tsx';
import { newPassword } from './new-password.ts';

export interface JoinProps {
  readonly token: string;
  readonly isSignedIn: boolean;
  readonly onIn: () => Promise<void>;
}

export function Join({ token, isSignedIn, onIn }: JoinProps) {
  const path = `/auth/invitations/${encodeURIComponent(token)}`;
  const { data, error } = useLoad(path);
  const accept = async (values: object) => {
    await post(path, values);
    go('home');
    await onIn();
  };
  const move = async () => {
    await post(`${path}/accept`);
    go('home');
    await onIn();
  };
  return (
    <main class="narrow">
      <Page title={t('You are invited')}>
        {data === null ? (
          <LoadingState error={error} />
        ) : (
          <div class="card">
            <p>
              {t('To {organization}, as {role}, for {email}.', {
                organization: data.organization.name,
                role: data.role,
                email: data.email,
              })}
            </p>
            {isSignedIn ? (
              <>
                <p>{t('You leave the organization that you are in.')}</p>
                <ActionButton label={t('Join')} main run={move} />
              </>
            ) : (
              <>
                <Form
                  submit={t('Join')}
                  onSubmit={accept}
                  fields={[{ name: 'name', label: t('Name'), autocomplete: 'name' }, newPassword()]}
                />
                <p class="quiet">
                  <a href={to('home')}>
                    {t('If you have an account, sign in first, then open the link again.')}
                  </a>
                </p>
              </>
            )}
          </div>
        )}
      </Page>
    </main>
  );
}
