import { useState } from 'preact/hooks';
import { type Json, post } from '../data/api.ts';
import { go, to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Form } from '../kit/form.tsx';
import { OneTimeSecret } from '../kit/one-time-secret.tsx';
import { Page } from '../kit/page.tsx';
import { Looks } from './frame.tsx';
import { newPassword } from './new-password.ts';
import { Refused } from './refused.tsx';

const MOST = 'current-password';

export function SignIn({ onIn }: { readonly onIn: () => Promise<void> }) {
  const [isNew, setNew] = useState(false);
  const [key, setKey] = useState<string | null>(null);
  const enterWith = async (values: Json) => {
    await post('/auth/login', { email: values.email, password: values.password });
    await onIn();
  };
  const signUp = async (values: Json) => {
    const made = await post('/auth/signup', values);
    await post('/auth/login', { email: values.email, password: values.password });
    setKey(made.api_key);
  };
  if (key !== null)
    return (
      <main class="narrow">
        <Page title={t('Your sandbox key')}>
          <p>{t('Your own programs call the server with it. These pages do not need it.')}</p>
          <OneTimeSecret label={t('Sandbox key')} text={key} />
          <button
            type="button"
            class="main"
            onClick={async () => {
              go('home');
              await onIn();
            }}
          >
            {t('To your first call')}
          </button>
        </Page>
      </main>
    );
  return (
    <main class="narrow">
      <Page title={isNew ? t('Create an account') : t('Sign in to Trunkline')}>
        <Refused />
        <div class="card">{isNew ? <NewAccount onSubmit={signUp} /> : <Known onSubmit={enterWith} />}</div>
        <div class="row">
          <button type="button" onClick={() => setNew(!isNew)}>
            {isNew ? t('I have an account') : t('Create an account')}
          </button>
          {!isNew && (
            <a class="button" href={to('forgot')}>
              {t('Forgotten password')}
            </a>
          )}
          <a class="button" href="/auth/oidc/start">
            {t('Sign in with your organization')}
          </a>
        </div>
        <div class="row top">
          <Looks />
        </div>
      </Page>
    </main>
  );
}

function Known({ onSubmit }: { readonly onSubmit: (values: Json) => Promise<void> }) {
  return (
    <Form
      submit={t('Sign in')}
      onSubmit={onSubmit}
      fields={[
        { name: 'email', label: t('E-mail'), kind: 'email', needed: true, autocomplete: 'username' },
        { name: 'password', label: t('Password'), kind: 'password', needed: true, autocomplete: MOST },
      ]}
    />
  );
}

function NewAccount({ onSubmit }: { readonly onSubmit: (values: Json) => Promise<void> }) {
  return (
    <Form
      submit={t('Create the account')}
      onSubmit={onSubmit}
      fields={[
        { name: 'org_name', label: t('Organization'), autocomplete: 'organization' },
        { name: 'email', label: t('E-mail'), kind: 'email', needed: true, autocomplete: 'username' },
        newPassword(),
      ]}
    />
  );
}
