import { type Static, Type } from 'typebox';
import { ApiError } from './errors.ts';

export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(
    Type.String({ maxLength: 512, description: 'The `next_cursor` of the previous page.' }),
  ),
});
export type PageQuery = Static<typeof PageQuery>;

export const WholeQuery = Type.Object({
  ...PageQuery.properties,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'The page size. If omitted, the whole list is returned.',
    }),
  ),
});
export type WholeQuery = Static<typeof WholeQuery>;

export const DEFAULT_PAGE = 20;

export interface PageEnd {
  readonly createdAt: number;
  readonly id: string;
}

export interface Page<T> {
  readonly object: 'list';
  readonly data: T[];
  readonly next_cursor: string | null;
}

const CONTROL = /\p{Cc}|\p{Cs}/u;

const encodeCursor = (end: PageEnd): string =>
  Buffer.from(JSON.stringify([end.createdAt, end.id])).toString('base64url');

export function pageStart(query: PageQuery): PageEnd | null {
  if (query.cursor === undefined) return null;
  try {
    const [createdAt, id] = JSON.parse(Buffer.from(query.cursor, 'base64url').toString()) as unknown[];
    if (Number.isSafeInteger(createdAt) && typeof id === 'string' && !CONTROL.test(id))
      return { createdAt: createdAt as number, id };
  } catch {}
  throw new ApiError('invalid_request', 'cursor is not a next_cursor of this list', { param: 'cursor' });
}

/** The caller reads one row more than `limit`, which shows whether another page follows. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  query: PageQuery,
  end: (row: Row) => PageEnd,
  show: (row: Row) => T,
): Page<T> {
  const limit = query.limit ?? DEFAULT_PAGE;
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { object: 'list', data: page.map(show), next_cursor: more ? encodeCursor(end(last)) : null };
}

/**
 * Returns a page of a whole list; without `limit`, all of it. The page begins after the row of the cursor, or at its
 * former position where that row is gone.
 */
export function pageOfWhole<Row, T>(
  rows: readonly Row[],
  query: WholeQuery,
  keyOf: (row: Row) => string,
  show: (row: Row) => T,
): Page<T> {
  const before = pageStart(query);
  const known = before === null ? -1 : rows.findIndex((row) => keyOf(row) === before.id);
  const from = before !== null && known === -1 ? Math.max(0, before.createdAt) : known + 1;
  const limit = query.limit ?? rows.length;
  const end = (row: Row): PageEnd => ({ createdAt: rows.indexOf(row), id: keyOf(row) });
  return pageOf(rows.slice(from, from + limit + 1), { limit }, end, show);
}
