import type { Values } from '../data/prompt-variables.ts';

export interface VariableFieldsProps {
  readonly legend: string;
  readonly names: readonly string[];
  readonly values: Values;
  readonly change: (values: Values) => void;
}

export function VariableFields({ legend, names, values, change }: VariableFieldsProps) {
  if (names.length === 0) return null;
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      {names.map((name) => (
        <label key={name}>
          {name}{' '}
          <input
            value={values[name] ?? ''}
            onInput={(event) => change({ ...values, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
    </fieldset>
  );
}
