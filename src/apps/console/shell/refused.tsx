import { useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { ErrorNotice } from '../kit/page.tsx';

const SAID: Readonly<Record<string, string>> = {
  unauthorized: t('The identity provider did not confirm the sign-in. Begin again.'),
  email_taken: t(
    'There is an account with this e-mail address. Sign in with its password, then join the two under Your sessions.',
  ),
  not_found: t('This server has no identity provider. Its operator can set one up.'),
  unavailable: t('The identity provider does not answer. Try again in a moment.'),
  rate_limit_exceeded: t('There were too many attempts. Try again in a minute.'),
};

/** The pattern prevents a foreign link from placing its own text into the page. */
const CODE = /^[a-z_]{1,64}$/;

/** The server redirects with this code after a failed sign-in; the address drops it immediately. */
function takeCode(): string | null {
  const address = new URL(location.href);
  const code = address.searchParams.get('refused');
  if (code === null) return null;
  address.searchParams.delete('refused');
  history.replaceState(null, '', address);
  return CODE.test(code) ? code : null;
}

export function Refused() {
  const [code] = useState(takeCode);
  if (code === null) return null;
  const said = Object.hasOwn(SAID, code) ? SAID[code] : null;
  return <ErrorNotice error={new Error(said ?? t('The sign-in failed ({code}).', { code }))} />;
}
