import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../i18n/index.ts';

export interface PageProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** The heading takes the focus, so that who hears the page hears where they are. */
export function Page({ title, children }: PageProps) {
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
  return error === null ? <p class="quiet">{t('Loading…')}</p> : <ErrorNotice error={error} />;
}
