// @requirement Cast: A cast holds 100,000 lines and 20 speakers, and refuses hostile markup.
import { expect, it } from 'vitest';
import { type Storage, withinTenant } from '../../../src/foundation/storage/index.ts';
import type { ScriptedLine } from '../../../src/products/cast/contract.ts';
import { writeLines } from '../../../src/products/cast/line-rows.ts';
import { lineOf } from '../../../src/products/cast/view.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const HERE = scopeFor('org_a');
const ELSEWHERE = scopeFor('org_b');

const numbered = (at: number): ScriptedLine => ({
  id: `line_${at}`,
  speaker: 'ANNA',
  text: `Line ${at}.`,
  voice: null,
  chapter: null,
  note: null,
  direction: {},
  directed_by: null,
  seed: 0,
});

const some = (count: number): readonly ScriptedLine[] =>
  Array.from({ length: count }, (_, at) => numbered(at));

const written = async (storage: Storage, scope = HERE) =>
  (
    await withinTenant(storage.db, scope)
      .selectFrom('cast_lines')
      .selectAll()
      .where('cast_id', '=', 'cast_1')
      .orderBy('ordinal')
      .execute()
  ).map(lineOf);

const write = (
  storage: Storage,
  before: readonly ScriptedLine[],
  lines: readonly ScriptedLine[],
  scope = HERE,
) => storage.transaction((trx) => writeLines(trx, scope, 'cast_1', before, lines));

onBothDatabases('lines of a cast', ({ open }) => {
  it('are what was given, however they were changed, moved, put in or left out', async () => {
    const storage = await open();
    const first = some(600);
    await write(storage, [], first);
    expect(await written(storage)).toEqual(first);
    const second = [
      first[599]!,
      ...first.slice(1, 300),
      { ...first[300]!, text: 'Changed.' },
      numbered(1000),
      ...first.slice(310, 500),
    ];
    await write(storage, first, second);
    expect(await written(storage)).toEqual(second);
    await write(storage, second, []);
    expect(await written(storage)).toEqual([]);
  });

  it('are written alone where they changed', async () => {
    const storage = await open();
    const lines = some(20);
    await write(storage, [], lines);
    const marked = { note: 'not written again' };
    await withinTenant(storage.db, HERE).updateTable('cast_lines').set(marked).execute();
    await write(storage, lines, lines.with(7, { ...lines[7]!, seed: 3 }));
    const notes = (await written(storage)).map(({ note, seed }) => [note, seed]);
    expect(notes).toEqual(lines.map((_, at) => (at === 7 ? [null, 3] : [marked.note, 0])));
    await expect(write(storage, lines, [], ELSEWHERE)).resolves.toBeUndefined();
    expect(await written(storage)).toHaveLength(20);
  });

  it('let the loop have its turn while ten thousand are written', async () => {
    const storage = await open();
    let turns = 0;
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    await write(storage, [], some(10_000));
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(40);
    expect(await written(storage)).toHaveLength(10_000);
  });
});
