import type { Field } from './form.tsx';

export function CheckboxGroup({ field }: { readonly field: Field }) {
  const { name, label, options = [], value, hint } = field;
  const chosen: readonly string[] = value ?? [];
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      <div class="checks">
        {options.map(([each, text]) => (
          <label key={each} class="check">
            <input type="checkbox" name={name} value={each} defaultChecked={chosen.includes(each)} /> {text}
          </label>
        ))}
      </div>
      {options.length === 0 && <span class="quiet">–</span>}
      {hint && <div class="hint">{hint}</div>}
    </fieldset>
  );
}

export const chosenOf = (form: HTMLFormElement, name: string): string[] =>
  [...form.querySelectorAll<HTMLInputElement>(`input[name="${name}"]:checked`)].map(({ value }) => value);
