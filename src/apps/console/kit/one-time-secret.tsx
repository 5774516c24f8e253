import { useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';

export function OneTimeSecret({ label, text }: { readonly label: string; readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div class="once" role="status">
      <strong>{label}</strong> {t('Copy it now: it is shown only once.')}
      <p>
        <code>{text}</code>
      </p>
      <button type="button" onClick={copy}>
        {copied ? t('Copied') : t('Copy')}
      </button>
    </div>
  );
}
