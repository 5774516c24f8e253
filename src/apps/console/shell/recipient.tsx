import { useState } from 'preact/hooks';
import { type Json, post, remove } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { LoadingState, Page } from '../kit/page.tsx';

export function Recipient({ token }: { readonly token: string }) {
  const path = `/auth/recipients/${encodeURIComponent(token)}`;
  const { data, error } = useLoad(path);
  const [answered, setAnswered] = useState<Json | null>(null);
  return (
    <main class="narrow">
      <Page title={t('Emails about calls')}>
        {answered !== null ? (
          <p role="status">
            {answered.confirmed
              ? t('You will receive these emails.')
              : t('You will receive no more of these emails.')}
          </p>
        ) : data === null ? (
          <LoadingState error={error} />
        ) : (
          <div class="card">
            <p>
              {t(
                'An organization that calls itself “{organization}” sends mail about its calls to {email}.',
                {
                  organization: data.organization,
                  email: data.email,
                },
              )}
            </p>
            <div class="row">
              {!data.confirmed && (
                <ActionButton
                  label={t('Send me these emails')}
                  main
                  run={async () => setAnswered(await post(path))}
                />
              )}
              <ActionButton
                label={t('Do not send me these emails')}
                run={async () => setAnswered(await remove(path))}
              />
            </div>
          </div>
        )}
      </Page>
    </main>
  );
}
