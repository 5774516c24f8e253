/** A migration yields to other users of a table, and completes once there are none. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type Migration, openStorage } from '../../../src/foundation/storage/index.ts';
import { onPostgres } from './databases.ts';
import { onServer } from './templates.ts';

const notes: Migration = {
  number: 1,
  name: 'notes',
  statements: (db) => [db.schema.createTable('notes').addColumn('id', 'text')],
};
const titles: Migration = {
  number: 2,
  name: 'titles',
  statements: (db) => [db.schema.alterTable('notes').addColumn('title', 'text')],
};

onPostgres('a migration of a table that is in use', ({ empty, after }) => {
  it('lets readers pass while it waits, and ends with the last of them', async () => {
    const { options } = await empty();
    const before = await openStorage({ ...options, migrations: [notes] });
    after(() => before.close());
    await onServer(async (reader) => {
      await reader.query('begin');
      await reader.query('select * from notes');
      let done = false;
      const upgrading = openStorage({ ...options, migrations: [notes, titles] }).then(async (storage) => {
        done = true;
        after(() => storage.close());
        return storage;
      });
      const until = performance.now() + 2_500;
      while (performance.now() < until) {
        const asked = performance.now();
        await sql`select count(*) from notes`.execute(before.db);
        expect(performance.now() - asked).toBeLessThan(2_000);
      }
      expect(done).toBe(false);
      await reader.query('commit');
      await sql`select title from notes`.execute((await upgrading).db);
    }, options.databaseUrl);
  }, 60_000);
});
