import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { LANGUAGES, t } from '../i18n/index.ts';
import { same, type Words } from './document.ts';

interface LabelledProps {
  readonly label: string;
  readonly error?: string | null;
  readonly children: (ids: {
    readonly id: string;
    readonly 'aria-describedby'?: string;
  }) => ComponentChildren;
}

export function Labelled({ label, error = null, children }: LabelledProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(error === null ? { id } : { id, 'aria-describedby': `${id}-error` })}
      {error !== null && (
        <div class="hint bad" id={`${id}-error`}>
          {error}
        </div>
      )}
    </div>
  );
}

export interface ControlProps<T> {
  readonly label: string;
  readonly value: T | undefined;
  readonly onChange: (value: T | undefined) => void;
}

const orNone = (text: string): string | undefined => (text === '' ? undefined : text);

export function TextControl({ label, value, onChange }: ControlProps<string>) {
  return (
    <Labelled label={label}>
      {(ids) => (
        <input
          {...ids}
          type="text"
          autocomplete="off"
          value={value ?? ''}
          onInput={(event) => onChange(orNone(event.currentTarget.value))}
        />
      )}
    </Labelled>
  );
}

export function AreaControl({ label, value, onChange }: ControlProps<string>) {
  return (
    <Labelled label={label}>
      {(ids) => (
        <textarea
          {...ids}
          value={value ?? ''}
          onInput={(event) => onChange(orNone(event.currentTarget.value))}
        />
      )}
    </Labelled>
  );
}

/** Keeps what is typed until `read` accepts it, and takes up a value that was changed elsewhere. */
function useTyped<T>(
  value: T | undefined,
  show: (value: T | undefined) => string,
  read: (text: string) => T | undefined,
) {
  const [typed, setTyped] = useState<{ readonly text: string; readonly of: T | undefined }>({
    text: show(value),
    of: value,
  });
  const text = same(typed.of, value) ? typed.text : show(value);
  return { text, keep: (next: string, of: T | undefined) => setTyped({ text: next, of }), read };
}

export interface NumberControlProps extends ControlProps<number> {
  readonly least?: number | undefined;
  readonly most?: number | undefined;
  readonly step?: number | undefined;
}

export function NumberControl({ label, value, onChange, least, most, step }: NumberControlProps) {
  return (
    <Labelled label={label}>
      {(ids) => (
        <input
          {...ids}
          type="number"
          autocomplete="off"
          {...(least === undefined ? {} : { min: least })}
          {...(most === undefined ? {} : { max: most })}
          step={step ?? 1}
          value={value ?? ''}
          onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : Number(text))}
        />
      )}
    </Labelled>
  );
}

export function CheckControl({ label, value, onChange }: ControlProps<boolean>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked ? true : undefined)}
        />
        {label}
      </label>
    </div>
  );
}

export interface ChoiceControlProps extends ControlProps<string> {
  readonly options: readonly (readonly [value: string, label: string])[];
  /** Without it, one of the options is always chosen. */
  readonly none?: string;
}

export function ChoiceControl({ label, value, onChange, options, none }: ChoiceControlProps) {
  const known = value === undefined || value === '' || options.some(([each]) => each === value);
  const all = [
    ...(none === undefined ? [] : [['', none] as const]),
    ...options,
    ...(known ? [] : [[value, value] as const]),
  ];
  return (
    <Labelled label={label}>
      {(ids) => (
        <select
          {...ids}
          value={value ?? ''}
          onChange={(event) => onChange(orNone(event.currentTarget.value))}
        >
          {all.map(([each, text]) => (
            <option key={each} value={each} selected={each === (value ?? '')}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

const linesOf = (text: string): readonly string[] | undefined => {
  const lines = text
    .split('\n')
    .map((one) => one.trim())
    .filter(Boolean);
  return lines.length === 0 ? undefined : lines;
};

export function ListControl({ label, value, onChange }: ControlProps<readonly string[]>) {
  const typed = useTyped(value, (list) => (list ?? []).join('\n'), linesOf);
  return (
    <Labelled label={label}>
      {(ids) => (
        <textarea
          {...ids}
          value={typed.text}
          onInput={({ currentTarget: { value: text } }) => {
            typed.keep(text, linesOf(text));
            onChange(linesOf(text));
          }}
        />
      )}
    </Labelled>
  );
}

export interface SeveralControlProps extends ControlProps<readonly string[]> {
  readonly options: readonly string[];
  /** An empty choice differs from none: it is kept as an empty list. */
  readonly keepsEmpty?: boolean;
}

export function SeveralControl({ label, value, onChange, options, keepsEmpty }: SeveralControlProps) {
  const chosen = value ?? [];
  const all = [...options, ...chosen.filter((one) => !options.includes(one))];
  return (
    <fieldset class="field">
      <legend class="label">{label}</legend>
      {all.map((each) => (
        <label key={each}>
          <input
            type="checkbox"
            checked={chosen.includes(each)}
            onChange={(event) => {
              const next = event.currentTarget.checked
                ? [...chosen, each]
                : chosen.filter((one) => one !== each);
              onChange(next.length === 0 && !keepsEmpty ? undefined : next);
            }}
          />
          {each}
        </label>
      ))}
      {all.length === 0 && <span class="quiet">–</span>}
    </fieldset>
  );
}

const jsonOf = (text: string): unknown => (text.trim() === '' ? undefined : JSON.parse(text));

export function JsonControl({ label, value, onChange }: ControlProps<unknown>) {
  const show = (of: unknown) => (of === undefined ? '' : JSON.stringify(of, null, 2));
  const typed = useTyped(value, show, jsonOf);
  const [error, setError] = useState<string | null>(null);
  return (
    <Labelled label={label} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          class="mono"
          spellcheck={false}
          value={typed.text}
          onInput={({ currentTarget: { value: text } }) => {
            try {
              const read = jsonOf(text);
              setError(null);
              typed.keep(text, read);
              onChange(read);
            } catch (thrown) {
              setError((thrown as Error).message);
              typed.keep(text, value);
            }
          }}
        />
      )}
    </Labelled>
  );
}

/** One text for all languages, or one for each. */
export function WordsControl({ label, value, onChange }: ControlProps<Words>) {
  if (value === undefined || typeof value === 'string')
    return (
      <>
        <AreaControl label={label} value={value} onChange={onChange} />
        {value !== undefined && (
          <p>
            <button type="button" class="plain" onClick={() => onChange({ en: value })}>
              {t('A text for each language')}
            </button>
          </p>
        )}
      </>
    );
  const others = Object.keys(LANGUAGES).filter((language) => !(language in value));
  const set = (language: string, text: string | undefined) => {
    const { [language]: _before, ...rest } = value;
    const next = text === undefined ? rest : { ...value, [language]: text };
    onChange(Object.keys(next).length === 0 ? undefined : next);
  };
  return (
    <>
      {Object.entries(value).map(([language, text]) => (
        <AreaControl
          key={language}
          label={`${label} (${language})`}
          value={text}
          onChange={(next) => set(language, next)}
        />
      ))}
      <ChoiceControl
        label={t('Add a language')}
        value=""
        none="–"
        options={others.map((language) => [language, language] as const)}
        onChange={(language) => language !== undefined && onChange({ ...value, [language]: '…' })}
      />
    </>
  );
}
