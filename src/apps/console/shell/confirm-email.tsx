import { useState } from 'preact/hooks';
import { post } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { LoadingState, Page } from '../kit/page.tsx';

export function ConfirmEmail({ token }: { readonly token: string }) {
  const path = `/auth/email/${encodeURIComponent(token)}`;
  const { data, error } = useLoad(path);
  const [isConfirmed, setConfirmed] = useState(false);
  return (
    <main class="narrow">
      <Page title={t('Confirm your address')}>
        {isConfirmed ? (
          <p role="status">
            {t('The address is confirmed.')} <a href={to('home')}>{t('Sign in')}</a>
          </p>
        ) : data === null ? (
          <LoadingState error={error} />
        ) : (
          <div class="card">
            <p>{t('An account was created with the address {email}.', { email: data.email })}</p>
            <ActionButton label={t('Confirm')} main run={() => post(path)} then={() => setConfirmed(true)} />
          </div>
        )}
      </Page>
    </main>
  );
}
