import { useState } from 'preact/hooks';
import { type Json, post } from '../data/api.ts';
import { go, to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Form } from '../kit/form.tsx';
import { Page } from '../kit/page.tsx';
import { newPassword } from './new-password.ts';

export function Forgot() {
  const [isAsked, setAsked] = useState(false);
  const ask = async ({ email }: Json) => {
    await post('/auth/password/forgot', { email });
    setAsked(true);
  };
  return (
    <main class="narrow">
      <Page title={t('Forgotten password')}>
        {isAsked ? (
          <p role="status">
            {t('If this address has an account, we sent a link to it. The link is valid for 30 minutes.')}
          </p>
        ) : (
          <div class="card">
            <Form
              submit={t('Send me a link')}
              onSubmit={ask}
              fields={[
                { name: 'email', label: t('E-mail'), kind: 'email', needed: true, autocomplete: 'username' },
              ]}
            />
            <p class="quiet">{t('If this server sends no email, its operator can print a link.')}</p>
          </div>
        )}
        <a href={to('home')}>{t('Sign in')}</a>
      </Page>
    </main>
  );
}

export function Reset({ token, onDone }: { readonly token: string; readonly onDone: () => void }) {
  const reset = async ({ password }: Json) => {
    await post('/auth/password/reset', { token, password });
    onDone();
    go('home');
  };
  return (
    <main class="narrow">
      <Page title={t('New password')}>
        <div class="card">
          <Form submit={t('Save')} onSubmit={reset} fields={[newPassword()]} />
          <p class="quiet">{t('You are signed out everywhere.')}</p>
        </div>
      </Page>
    </main>
  );
}
