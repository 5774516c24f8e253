import { useId, useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { JsonBlock as Whole } from '../kit/fact-list.tsx';

export interface PromptProps {
  readonly id: string;
  readonly versions: readonly Json[];
}

export function Prompt({ id, versions }: PromptProps) {
  const [version, setVersion] = useState<string>('');
  const choice = useId();
  const { data } = useLoad(`/v1/agents/${id}/prompt${version === '' ? '' : `?version=${version}`}`);
  if (data === null) return null;
  return (
    <details class="card">
      <summary>{t('What the model is told')}</summary>
      <div class="field">
        <label for={choice}>{t('Version')}</label>
        <select id={choice} value={version} onChange={(event) => setVersion(event.currentTarget.value)}>
          <option value="">{t('The published one')}</option>
          {versions.map(({ version: each }) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0}>{data.system}</pre>
      <h3>{t('Tools')}</h3>
      <Whole of={data.tools} />
    </details>
  );
}
