import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../i18n/index.ts';

export interface PageProps {
  readonly title: string;
  /** The lead stands under the heading and says what the page is for. */
  readonly lead?: string;
  readonly children?: ComponentChildren;
}

/** The heading takes the focus, so that who hears the page hears where they are. */
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
    </p>
  );
}

/** The placeholder shows until `data` is loaded; an error appears above existing data. */
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
