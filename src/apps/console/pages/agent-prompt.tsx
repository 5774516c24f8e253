import { useId, useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { JsonBlock as Whole } from '../kit/fact-list.tsx';

const VARIABLE = /\{\{\s*([A-Za-z0-9_.-]{1,64})\s*\}\}/g;

const variablesOf = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(VARIABLE)].map(([, name]) => name as string)),
];

/** Calls leave a variable without a value as it is written. */
const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(VARIABLE, (whole, name: string) => values[name] || whole);

export interface PromptProps {
  readonly id: string;
  readonly versions: readonly Json[];
}

export function Prompt({ id, versions }: PromptProps) {
  const [version, setVersion] = useState<string>('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const choice = useId();
  const { data } = useLoad(`/v1/agents/${id}/prompt${version === '' ? '' : `?version=${version}`}`);
  if (data === null) return null;
  const variables = variablesOf(data.system);
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
      {variables.length > 0 && (
        <fieldset>
          <legend>{t('Variables of a telephone call')}</legend>
          {variables.map((name) => (
            <label key={name}>
              {name}{' '}
              <input
                value={values[name] ?? ''}
                onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
              />
            </label>
          ))}
        </fieldset>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0}>{filled(data.system, values)}</pre>
      <h3>{t('Tools')}</h3>
      <Whole of={data.tools} />
    </details>
  );
}
