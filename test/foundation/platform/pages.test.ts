import { expect, it } from 'vitest';
import { type PageEnd, pageOf, pageOfWhole, pageStart } from '../../../src/foundation/platform/pages.ts';
import { fc } from '../../property-tests.ts';

interface Row {
  at: number;
  id: string;
}

/** Reads as a store does with a cursor: strictly older rows, newest first, one more than the limit. */
function read(rows: Row[], start: PageEnd | null, limit: number): Row[] {
  const older = ({ at, id }: Row) =>
    start === null || at < start.createdAt || (at === start.createdAt && id < start.id);
  return rows
    .filter(older)
    .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
    .slice(0, limit + 1);
}

it('shows every row once, whatever the page size and however many share a time', () => {
  const times = fc.array(fc.nat(3), { maxLength: 40 });
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 7 }), (list, limit) => {
      const rows = list.map((at, index) => ({ at, id: `x_${String(index).padStart(3, '0')}` }));
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
        const page = pageOf(
          read(rows, pageStart(query), limit),
          query,
          (row) => ({ createdAt: row.at, id: row.id }),
          (row) => row.id,
        );
        expect(page.data.length).toBeLessThanOrEqual(limit);
        seen.push(...page.data);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(read(rows, null, rows.length).map(({ id }) => id));
    }),
  );
});

it.each([
  '',
  'x',
  'bnVsbA',
  Buffer.from('[1]').toString('base64url'),
  Buffer.from('["1","a"]').toString('base64url'),
])('refuses the cursor %j by name', (cursor) => {
  expect(() => pageStart({ cursor })).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'cursor' }),
  );
});

const whole = (rows: string[], query: { limit?: number; cursor?: string }) =>
  pageOfWhole(
    rows,
    query,
    (row) => row,
    (row) => row,
  );

it('shows a list that is read whole all at once, or in pages', () => {
  fc.assert(
    fc.property(fc.nat(20), fc.integer({ min: 1, max: 7 }), (count, limit) => {
      const rows = Array.from({ length: count }, (_none, at) => `row ${at}`);
      expect(whole(rows, {})).toEqual({ object: 'list', data: rows, next_cursor: null });
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = whole(rows, { limit, ...(cursor === null ? {} : { cursor }) });
        expect(page.data.length).toBeLessThanOrEqual(limit);
        seen.push(...page.data);
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).toEqual(rows);
    }),
  );
});

it('goes on where it was, though rows came or the last one shown is gone', () => {
  const { next_cursor: cursor } = whole(['a', 'b', 'c', 'd'], { limit: 2 });
  if (cursor === null) throw new Error('two more follow');
  expect(whole(['new', 'a', 'b', 'c', 'd'], { cursor }).data).toEqual(['c', 'd']);
  expect(whole(['a', 'c', 'd'], { cursor }).data).toEqual(['c', 'd']);
  expect(whole([], { cursor }).data).toEqual([]);
});
