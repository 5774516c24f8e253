import { useEffect, useState } from 'preact/hooks';
import { objectUrl } from '../data/api.ts';
import { t } from '../i18n/index.ts';
import { ErrorNotice } from './page.tsx';

export function AudioClip({ path, label }: { readonly path: string; readonly label: string }) {
  const [url, setUrl] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  if (url !== null)
    return (
      // biome-ignore lint/a11y/useMediaCaption: the words stand beside it.
      <audio controls src={url} aria-label={label} />
    );
  return (
    <>
      <button type="button" onClick={() => objectUrl(path).then(setUrl, setError)}>
        {t('Listen')} <span class="hidden">{label}</span>
      </button>
      <ErrorNotice error={error} />
    </>
  );
}
