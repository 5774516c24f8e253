import { type Json, post } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { go } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { LoadingState, Page } from '../kit/page.tsx';

/** An invited person whose first sign-in uses the identity provider chooses what to join. */
export function Choose({ ticket, onIn }: { readonly ticket: string; readonly onIn: () => Promise<void> }) {
  const path = `/auth/oidc/arrivals/${encodeURIComponent(ticket)}`;
  const { data, error } = useLoad(path);
  const choose = async (invitation_id: string | null) => {
    await post(path, { invitation_id });
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
            {data.invitations.map(({ id, organization, role }: Json) => (
              <p key={id}>
                {t('To {organization}, as {role}, for {email}.', {
                  organization: organization.name,
                  role,
                  email: data.email,
                })}{' '}
                <ActionButton label={t('Join')} of={organization.name} main run={() => choose(id)} />
              </p>
            ))}
            <ActionButton label={t('Create my own organization')} run={() => choose(null)} />
          </div>
        )}
      </Page>
    </main>
  );
}
