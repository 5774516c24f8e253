import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { askBeforeLeaving } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { CheckboxGroup, chosenOf } from './checkbox-group.tsx';
import { ErrorNotice } from './page.tsx';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind?:
    | 'text'
    | 'email'
    | 'password'
    | 'number'
    | 'color'
    | 'area'
    | 'json'
    | 'check'
    | 'choice'
    | 'several'
    | 'list'
    | 'file';
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly value?: Json;
  readonly hint?: string;
  readonly needed?: boolean;
  readonly autocomplete?: string;
}

export interface FormProps {
  readonly fields: readonly Field[];
  readonly submit: string;
  readonly onSubmit: (values: Json) => Promise<unknown>;
  readonly clears?: boolean;
  /** Asks before what is typed is left unsaved. */
  readonly isGuarded?: boolean;
}

function readField({ name, kind }: Field, form: HTMLFormElement): unknown {
  if (kind === 'several') return chosenOf(form, name);
  const element = form.elements.namedItem(name) as HTMLInputElement;
  if (kind === 'check') return element.checked;
  if (kind === 'file') return element.files?.[0];
  const text = element.value;
  if (kind === 'list')
    return text
      .split(/[\n,]/)
      .map((one) => one.trim())
      .filter(Boolean);
  if (text === '') return undefined;
  if (kind === 'number') return Number(text);
  if (kind === 'json') return JSON.parse(text);
  return text;
}

const shownOf = ({ kind, value }: Field): string => {
  if (value === undefined || value === null) return '';
  if (kind === 'json') return JSON.stringify(value, null, 2);
  return kind === 'list' ? (value as string[]).join('\n') : String(value);
};

/** Asks, while it is `on`, before another page of the console or the browser is shown. */
function useGuard(on: boolean): void {
  useEffect(() => {
    if (!on) return;
    const ask = askBeforeLeaving(t('Your changes are not saved and will be lost. Leave?'));
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', stay);
    return () => {
      ask();
      removeEventListener('beforeunload', stay);
    };
  }, [on]);
}

export function Form({ fields, submit, onSubmit, clears, isGuarded = false }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [done, setDone] = useState(false);
  const [isDirty, setDirty] = useState(false);
  useGuard(isGuarded && isDirty);
  const send = async (event: Event) => {
    event.preventDefault();
    if (form.current === null) return;
    setBusy(true);
    setError(null);
    setDone(false);
    try {
      const values: Record<string, unknown> = {};
      for (const field of fields) {
        const value = readField(field, form.current);
        if (value !== undefined) values[field.name] = value;
      }
      await onSubmit(values);
      setDone(true);
      setDirty(false);
      if (clears) form.current?.reset();
    } catch (thrown) {
      setError(thrown as Error);
    }
    setBusy(false);
  };
  return (
    <form ref={form} onSubmit={send} onInput={() => setDirty(true)}>
      {fields.map((field) => (
        <Entry key={field.name} field={field} />
      ))}
      <ErrorNotice error={error} />
      <div class="row">
        <button type="submit" class="main" disabled={busy}>
          {submit}
        </button>
        <span role="status" class="quiet">
          {busy ? t('Working…') : done ? t('Done.') : ''}
        </span>
      </div>
    </form>
  );
}

function Entry({ field }: { readonly field: Field }) {
  const { name, label, kind = 'text', hint, needed } = field;
  const id = useId();
  if (kind === 'several') return <CheckboxGroup field={field} />;
  const described = hint ? { 'aria-describedby': `${id}-hint` } : {};
  const shared = { id, name, required: needed ?? false, ...described };
  if (kind === 'check')
    return (
      <div class="field">
        <label for={id} class="check">
          <input type="checkbox" {...shared} required={false} defaultChecked={Boolean(field.value)} />
          {label}
        </label>
        {hint && (
          <div class="hint" id={`${id}-hint`}>
            {hint}
          </div>
        )}
      </div>
    );
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Control field={field} shared={shared} />
      {hint && (
        <div class="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
  );
}

function Control({ field, shared }: { readonly field: Field; readonly shared: object }) {
  const { kind = 'text', options = [], autocomplete } = field;
  const value = shownOf(field);
  if (kind === 'choice')
    return (
      <select {...shared} defaultValue={value}>
        {options.map(([each, label]) => (
          <option key={each} value={each} selected={each === value}>
            {label}
          </option>
        ))}
      </select>
    );
  if (kind === 'area' || kind === 'json' || kind === 'list')
    return <textarea {...shared} class={kind === 'json' ? 'mono' : ''} defaultValue={value} />;
  const looks: object = {
    type: kind === 'check' ? 'checkbox' : kind,
    autocomplete: autocomplete ?? 'off',
    ...(kind === 'number' ? { step: 'any' } : {}),
    ...(kind === 'file' ? {} : { defaultValue: value }),
  };
  return <input {...shared} {...looks} />;
}
