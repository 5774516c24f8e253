import type { ComponentChildren } from 'preact';
import type { Json } from '../data/api.ts';
import { t } from '../i18n/index.ts';

export interface Column {
  readonly label: string;
  readonly of: (row: Json) => ComponentChildren;
  readonly numeric?: boolean;
}

export interface TableProps {
  /** The caption describes the table to screen readers. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Json[];
  readonly empty?: string;
  readonly actions?: (row: Json) => ComponentChildren;
}

export function Table({ caption, columns, rows, empty, actions }: TableProps) {
  if (rows.length === 0) return <p class="quiet">{empty ?? t('Nothing here yet.')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ label, numeric }) => (
              <th key={label} scope="col" class={numeric ? 'num' : ''}>
                {label}
              </th>
            ))}
            {actions && (
              <th scope="col">
                <span class="hidden">{t('Actions')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={row.id ?? index}>
              {columns.map(({ label, of, numeric }) => (
                <td key={label} class={numeric ? 'num' : ''}>
                  {of(row)}
                </td>
              ))}
              {actions && (
                <td>
                  <div class="row">{actions(row)}</div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
