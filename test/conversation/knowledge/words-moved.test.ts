import BetterSqlite from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { expect, it } from 'vitest';
import { wordIndex } from '../../../src/conversation/knowledge/ranking/word-index.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import type { Tables } from '../../../src/foundation/storage/index.ts';
import { migrate } from '../../../src/foundation/storage/migrate.ts';
import { MIGRATIONS } from '../../../src/foundation/storage/migrations/index.ts';

const MOVED = 231;

it('the words of an earlier index are found in their base, and in no other', async () => {
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: new BetterSqlite(':memory:') }) });
  await migrate(
    db,
    'sqlite',
    MIGRATIONS.filter(({ number }) => number < MOVED),
    systemClock,
  );
  const token = (base: string) => (base === 'kb_one' ? 'b3b9495b514c6b503faed' : 'b2');
  for (const [number, base, heading, body] of [
    [1, 'kb_one', '', 'ferri leav noon'],
    [2, 'kb_two', 'ferri', 'ferri noon'],
  ] as const)
    await sql`insert into knowledge_words (rowid, base, heading, body)
      values (${number}, ${token(base)}, ${heading}, ${body})`.execute(db);
  await migrate(db, 'sqlite', MIGRATIONS, systemClock);
  const { rows } = await sql<{ rowid: number; heading: string; body: string }>`
    select rowid, heading, body from knowledge_words order by rowid`.execute(db);
  const first = token('kb_one');
  expect(rows).toEqual([
    { rowid: 1, heading: '', body: `${first}ferri ${first}leav ${first}noon` },
    { rowid: 2, heading: 'b2ferri', body: 'b2ferri b2noon' },
  ]);
  expect(await wordIndex('sqlite').find(db, ['kb_one'], ['ferri'], 5)).toEqual([1]);
  await wordIndex('sqlite').add(db as never, [{ number: 3, base: 'kb_new', heading: [], body: ['ferri'] }]);
  expect(await wordIndex('sqlite').find(db, ['kb_new'], ['ferri'], 5)).toEqual([3]);
  await db.destroy();
});
