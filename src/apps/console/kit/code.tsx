import { useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Icon } from './icon.tsx';
import { notify } from './toast.tsx';

export interface CodeProps {
  readonly samples: readonly (readonly [name: string, text: string])[];
}

export function Code({ samples }: CodeProps) {
  const [at, setAt] = useState(0);
  const text = samples[at]?.[1] ?? '';
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    notify(t('Copied.'));
  };
  return (
    <div class="code">
      <div class="row">
        {samples.length > 1 &&
          samples.map(([each], index) => (
            <button key={each} type="button" aria-pressed={index === at} onClick={() => setAt(index)}>
              {each}
            </button>
          ))}
        {/* Browsers have a clipboard on pages with TLS and on this machine alone. */}
        {navigator.clipboard && (
          <button type="button" onClick={copy}>
            <Icon name="copy" /> {t('Copy')}
          </button>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlOf(method: string, path: string, body?: unknown): string {
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(location.origin + path)}`];
  lines.push('-H "Authorization: Bearer $TRUNKLINE_API_KEY"');
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'");
    lines.push(`-d ${quoted(JSON.stringify(body))}`);
  }
  return lines.join(' \\\n  ');
}
