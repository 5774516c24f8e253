import { useId, useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { filled, type Values, variablesOf } from '../data/prompt-variables.ts';
import { t } from '../i18n/index.ts';
import { JsonBlock as Whole } from '../kit/fact-list.tsx';
import { VariableFields } from '../kit/variable-fields.tsx';

export interface PromptProps {
  readonly id: string;
  readonly versions: readonly Json[];
}

export function Prompt({ id, versions }: PromptProps) {
  const [version, setVersion] = useState<string>('');
  const [values, setValues] = useState<Values>({});
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
      <VariableFields
        legend={t('Variables of a telephone call')}
        names={variablesOf(data.system)}
        values={values}
        change={setValues}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0}>{filled(data.system, values)}</pre>
      <h3>{t('Tools')}</h3>
      <Whole of={data.tools} />
    </details>
  );
}
