import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { t } from '../i18n/index.ts';

export interface Column {
  readonly label: string;
  readonly of: (row: Json) => ComponentChildren;
  readonly numeric?: boolean;
  readonly sort?: (row: Json) => number | string;
}

export interface TableProps {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Json[];
  readonly empty?: string | JSX.Element;
  readonly actions?: (row: Json) => ComponentChildren;
}

interface Order {
  readonly by: string;
  readonly down: boolean;
}

function sorted(rows: readonly Json[], columns: readonly Column[], order: Order | null): readonly Json[] {
  const sort = columns.find(({ label }) => label === order?.by)?.sort;
  if (order === null || sort === undefined) return rows;
  const way = order.down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [one, other] = [sort(a), sort(b)];
    return one < other ? -way : one > other ? way : 0;
  });
}

export function Table({ caption, columns, rows: given, empty, actions }: TableProps) {
  const [order, setOrder] = useState<Order | null>(null);
  if (given.length === 0)
    return typeof empty === 'object' ? empty : <p class="quiet">{empty ?? t('Nothing here yet.')}</p>;
  const rows = sorted(given, columns, order);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ label, numeric, sort }) => (
              <th
                key={label}
                scope="col"
                class={numeric ? 'num' : ''}
                aria-sort={order?.by !== label ? undefined : order.down ? 'descending' : 'ascending'}
              >
                {sort === undefined ? (
                  label
                ) : (
                  <button
                    type="button"
                    class="sort"
                    onClick={() => setOrder({ by: label, down: order?.by === label ? !order.down : true })}
                  >
                    {label}{' '}
                    <span aria-hidden="true">{order?.by !== label ? '↕' : order.down ? '↓' : '↑'}</span>
                  </button>
                )}
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
