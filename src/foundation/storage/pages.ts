import type { SelectQueryBuilder } from 'kysely';
import { DEFAULT_PAGE, type PageEnd, type PageQuery } from '../platform/pages.ts';

type Rows = Record<string, Record<string, unknown>>;

/**
 * Returns a page's rows and one more, newest first. `of` is the table where a query reads several, and `id` the
 * column that orders rows of the same time.
 */
export function newestFirst<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  { limit = DEFAULT_PAGE }: PageQuery,
  start: PageEnd | null,
  { of, id = 'id' }: { readonly of?: string; readonly id?: string } = {},
): SelectQueryBuilder<DB, TB, O> {
  const [made, own] = of === undefined ? ['created_at', id] : [`${of}.created_at`, `${of}.${id}`];
  let rows = query as unknown as SelectQueryBuilder<Rows, string, O>;
  if (start !== null) {
    rows = rows.where(({ eb, or, and }) =>
      or([eb(made, '<', start.createdAt), and([eb(made, '=', start.createdAt), eb(own, '<', start.id)])]),
    );
  }
  const ordered = rows
    .orderBy(made, 'desc')
    .orderBy(own, 'desc')
    .limit(limit + 1);
  return ordered as unknown as SelectQueryBuilder<DB, TB, O>;
}
