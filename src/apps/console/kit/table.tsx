import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Json } from '../data/api.ts';
import { readPreference, storePreference } from '../data/preferences.ts';
import { t } from '../i18n/index.ts';
import { type BulkAct, BulkBar, matches, TableTools, textOf } from './table-tools.tsx';

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
  /** The table has a filter and a choice of columns, which are stored under this name with its order. */
  readonly storedAs?: string;
  /** The rows can be chosen, for these actions. */
  readonly bulk?: readonly BulkAct[];
  readonly onBulkDone?: () => void;
  /** Names a row for screen readers. */
  readonly nameOf?: (row: Json) => string;
}

interface Order {
  readonly by: string;
  readonly down: boolean;
}

interface Arrangement {
  readonly order: Order | null;
  readonly hidden: readonly string[];
  readonly filter: string;
}

const AS_GIVEN: Arrangement = { order: null, hidden: [], filter: '' };

function sorted(rows: readonly Json[], columns: readonly Column[], order: Order | null): readonly Json[] {
  const sort = columns.find(({ label }) => label === order?.by)?.sort;
  if (order === null || sort === undefined) return rows;
  const way = order.down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [one, other] = [sort(a), sort(b)];
    return one < other ? -way : one > other ? way : 0;
  });
}

function useArrangement(name: string | undefined) {
  const [arranged, setArranged] = useState<Arrangement>(() => ({
    ...AS_GIVEN,
    ...(name === undefined ? {} : readPreference<Arrangement>(`table.${name}`)),
  }));
  const change = (part: Partial<Arrangement>) => {
    const next = { ...arranged, ...part };
    setArranged(next);
    if (name !== undefined) storePreference(`table.${name}`, next);
  };
  return [arranged, change] as const;
}

/** Records of calls name themselves by `call_id`. */
const idOf = (row: Json): string => row.id ?? row.call_id;

export function Table(props: TableProps) {
  const { caption, columns: all, rows: given, empty, actions, storedAs, bulk, onBulkDone, nameOf } = props;
  const [{ order, hidden, filter }, arrange] = useArrangement(storedAs);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  if (given.length === 0)
    return typeof empty === 'object' ? empty : <p class="quiet">{empty ?? t('Nothing here yet.')}</p>;
  const columns = all.filter(({ label }) => !hidden.includes(label));
  const isSeen = (row: Json) => matches(all.map(({ of }) => textOf(of(row))).join(' '), filter);
  const found = filter === '' ? given : given.filter(isSeen);
  const rows = sorted(found, all, order);
  const choose = (ids: readonly string[], on: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };
  const picked = rows.filter((row) => chosen.has(idOf(row)));
  return (
    <>
      {storedAs !== undefined && (
        <TableTools
          caption={caption}
          labels={all.map(({ label }) => label)}
          hidden={hidden}
          filter={filter}
          count={t('{n} of {all} rows', { n: String(rows.length), all: String(given.length) })}
          onFilter={(next) => arrange({ filter: next })}
          onHidden={(next) => arrange({ hidden: next })}
        />
      )}
      {bulk && (
        <BulkBar rows={picked} acts={bulk} clear={() => setChosen(new Set())} then={() => onBulkDone?.()} />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <section class="scroll" tabIndex={0} aria-label={caption}>
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              {bulk && (
                <th scope="col" class="pick">
                  <input
                    type="checkbox"
                    aria-label={t('Choose all rows')}
                    checked={rows.length > 0 && picked.length === rows.length}
                    onChange={(event) => choose(rows.map(idOf), event.currentTarget.checked)}
                  />
                </th>
              )}
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
                      onClick={() =>
                        arrange({ order: { by: label, down: order?.by === label ? !order.down : true } })
                      }
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
              <tr key={idOf(row) ?? index}>
                {bulk && (
                  <td class="pick">
                    <input
                      type="checkbox"
                      aria-label={t('Choose {what}', { what: nameOf?.(row) ?? idOf(row) })}
                      checked={chosen.has(idOf(row))}
                      onChange={(event) => choose([idOf(row)], event.currentTarget.checked)}
                    />
                  </td>
                )}
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
      {rows.length === 0 && <p class="quiet">{t('No row matches.')}</p>}
    </>
  );
}
