import { type ComponentChildren, isValidElement } from 'preact';
import { useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { t } from '../i18n/index.ts';

/** An action on a row, which can be done on all rows that are chosen as well. */
export interface BulkAct {
  readonly label: string;
  readonly run: (row: Json) => Promise<unknown>;
  readonly danger?: boolean;
  readonly when?: (row: Json) => boolean;
}

/** Returns what a cell shows as text, so that a filter finds what is seen. */
export function textOf(shown: ComponentChildren): string {
  if (typeof shown === 'string' || typeof shown === 'number') return String(shown);
  if (Array.isArray(shown)) return shown.map(textOf).join(' ');
  if (!isValidElement(shown)) return '';
  const { children, of } = shown.props as { children?: ComponentChildren; of?: unknown };
  const named = typeof of === 'string' ? of.replaceAll('_', ' ') : '';
  return `${named} ${textOf(children)}`;
}

export const matches = (text: string, filter: string): boolean => {
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
};

export interface ToolsProps {
  readonly caption: string;
  readonly labels: readonly string[];
  readonly hidden: readonly string[];
  readonly filter: string;
  readonly count: string;
  readonly onFilter: (filter: string) => void;
  readonly onHidden: (hidden: readonly string[]) => void;
}

export function TableTools(props: ToolsProps) {
  const { caption, labels, hidden, filter, count, onFilter, onHidden } = props;
  const shownCount = labels.length - hidden.length;
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="tools">
      <label class="search">
        <span class="hidden">{t('Filter {what}', { what: caption })}</span>
        <input
          type="search"
          placeholder={t('Filter')}
          value={filter}
          onInput={(event) => onFilter(event.currentTarget.value)}
        />
      </label>
      <span class="quiet" role="status">
        {filter !== '' && count}
      </span>
      <details class="columns" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {t('Columns')}
          <span class="hidden"> {caption}</span>
        </summary>
        {isOpen && (
          <fieldset>
            <legend class="hidden">{t('Columns')}</legend>
            {labels.map((label) => {
              const isShown = !hidden.includes(label);
              return (
                <label key={label} class="check">
                  <input
                    type="checkbox"
                    checked={isShown}
                    disabled={isShown && shownCount === 1}
                    onChange={() =>
                      onHidden(isShown ? [...hidden, label] : hidden.filter((one) => one !== label))
                    }
                  />{' '}
                  {label}
                </label>
              );
            })}
          </fieldset>
        )}
      </details>
    </div>
  );
}

export interface BulkBarProps {
  readonly rows: readonly Json[];
  readonly acts: readonly BulkAct[];
  readonly clear: () => void;
  readonly then: () => void;
}

/** Acts on the chosen rows one after the other, and says which could not be done. */
export function BulkBar({ rows, acts, clear, then }: BulkBarProps) {
  const [sure, setSure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<string>('');
  const press = async ({ label, danger, run, when }: BulkAct) => {
    if (danger && sure !== label) return setSure(label);
    setSure(null);
    setBusy(true);
    const fit = rows.filter((row) => when?.(row) ?? true);
    let done = 0;
    let why = '';
    for (const row of fit) {
      try {
        await run(row);
        done += 1;
      } catch (thrown) {
        why = (thrown as Error).message;
      }
    }
    setBusy(false);
    const said = t('{label}: {done} of {all} done.', { label, done: String(done), all: String(fit.length) });
    setOutcome(why === '' ? said : `${said} ${why}`);
    clear();
    then();
  };
  return (
    <div class="bulk">
      <span role="status">{rows.length === 0 ? outcome : t('{n} chosen', { n: String(rows.length) })}</span>
      {rows.length > 0 &&
        acts.map((act) => {
          const fits = rows.filter((row) => act.when?.(row) ?? true).length;
          return (
            <button
              key={act.label}
              type="button"
              class={act.danger ? 'danger' : ''}
              disabled={busy || fits === 0}
              onClick={() => press(act)}
              onBlur={() => setSure(null)}
            >
              {sure === act.label ? t('Confirm: {what}', { what: act.label }) : act.label} ({fits})
            </button>
          );
        })}
      {rows.length > 0 && (
        <button type="button" onClick={clear}>
          {t('Choose none')}
        </button>
      )}
    </div>
  );
}
