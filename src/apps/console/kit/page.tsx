import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiRefusal } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';

export interface PageProps {
  readonly title: string;
  readonly lead?: string;
  readonly children?: ComponentChildren;
}

/** The heading takes the focus, so that a screen reader announces the new page. */
export function Page({ title, lead, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Trunkline`;
    heading.current?.focus();
  }, [title]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </>
  );
}

export function ErrorNotice({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  return (
    <p class="alert" role="alert">
      {error.message}
      {error instanceof ApiRefusal && error.code === 'credit_exhausted' && <HowCreditIsAdded />}
    </p>
  );
}

function HowCreditIsAdded() {
  const { data } = useLoad('/auth/session');
  return (
    <>
      {' '}
      {t('The operator of this server adds credit:')}{' '}
      <a href={to('organizations')}>{t('All organizations')}</a>
      {data !== null && (
        <>
          {' · '}
          <code>npx trunkline credits add --org {data.organization.id} --amount 20</code>
        </>
      )}
    </>
  );
}

export function LoadingState({ error }: { readonly error: Error | null }) {
  if (error !== null) return <ErrorNotice error={error} />;
  return (
    <div class="skeleton">
      <span class="hidden">{t('Loading…')}</span>
      <i />
      <i />
      <i />
    </div>
  );
}
