import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type Migration, openStorage } from '../../../src/foundation/storage/index.ts';
import { until } from '../../poll.ts';
import { onBothDatabases } from './databases.ts';

const counters: Migration = {
  number: 1,
  name: 'counters',
  statements: (db) => [
    db.schema
      .createTable('counters')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('value', 'bigint', (column) => column.notNull()),
    db.schema
      .createTable('notes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('counter', 'text', (column) => column.notNull().references('counters.id')),
  ],
};

const migrations = [counters];

onBothDatabases('storage', ({ open, empty, dialect }) => {
  it('keeps what a transaction wrote and drops what a failed one did', async () => {
    const storage = await open({ migrations });
    await storage.transaction(async (t) => {
      await sql`insert into counters (id, value) values ('a', 1)`.execute(t);
    });
    await expect(
      storage.transaction(async (t) => {
        await sql`update counters set value = 2`.execute(t);
        throw new Error('stop');
      }),
    ).rejects.toThrow('stop');
    const { rows } = await sql<{ value: number }>`select value from counters`.execute(storage.db);
    expect(rows).toEqual([{ value: 1 }]);
  });

  it('gives bigint columns, counts and sums as exact numbers', async () => {
    const storage = await open({ migrations });
    const value = 2 ** 52 + 1;
    await sql`insert into counters (id, value) values ('a', ${value})`.execute(storage.db);
    const { rows } =
      await sql`select value, count(*) as n, sum(value) as total from counters group by value`.execute(
        storage.db,
      );
    expect(rows).toEqual([{ value, n: 1, total: value }]);
  });

  it('holds foreign keys', async () => {
    const storage = await open({ migrations });
    await expect(
      sql`insert into notes (id, counter) values ('n', 'none')`.execute(storage.db),
    ).rejects.toThrow(/foreign key/i);
  });

  it('loses no update when many transactions read and write the same row', async () => {
    const storage = await open({ migrations });
    await sql`insert into counters (id, value) values ('a', 0)`.execute(storage.db);
    const bump = () =>
      storage.transaction(async (t) => {
        const { rows } = await sql<{ value: number }>`select value from counters where id = 'a'`.execute(t);
        await sql`update counters set value = ${rows[0]!.value + 1} where id = 'a'`.execute(t);
      });
    await Promise.all(Array.from({ length: 8 }, bump));
    const { rows } = await sql`select value from counters`.execute(storage.db);
    expect(rows).toEqual([{ value: 8 }]);
  });

  it('refuses a query that goes around the open transaction, and a transaction inside one', async () => {
    const storage = await open({ migrations });
    await expect(
      storage.transaction(async () => {
        await sql`select 1`.execute(storage.db);
      }),
    ).rejects.toThrow('outside the open transaction');
    await expect(storage.transaction(() => storage.transaction(async () => {}))).rejects.toThrow(
      'A transaction is open',
    );
    await sql`select 1`.execute(storage.db);
  });

  it('delivers a notification when its transaction commits, and none when it does not', async () => {
    const storage = await open({ migrations });
    const seen: string[] = [];
    const arrived = new Promise<void>((resolve) => {
      storage.listen('topic', {
        onMessage: (payload) => {
          seen.push(payload);
          if (payload === 'last') resolve();
        },
      });
    });
    storage.listen('other', { onMessage: (payload) => seen.push(`other ${payload}`) });
    await storage
      .transaction(async (t) => {
        await storage.notify('topic', 'dropped', t);
        throw new Error('stop');
      })
      .catch(() => {});
    await storage.transaction((t) => storage.notify('topic', 'first', t));
    await storage.notify('topic', 'last');
    await arrived;
    expect(seen).toEqual(['first', 'last']);
  });

  it('knows at once that another node has ended', async () => {
    const { options } = await empty();
    const [one, other] = await Promise.all([0, 1].map(() => openStorage({ ...options, migrations })));
    expect(await one!.isListening(one!.nodeId)).toBe(true);
    // Notifications of SQLite stay within their process.
    expect(await one!.isListening(other!.nodeId)).toBe(dialect === 'postgres');
    await other!.close();
    await until(async () => !(await one!.isListening(other!.nodeId)));
    expect(await one!.isListening(one!.nodeId)).toBe(true);
    await one!.close();
  });

  it('migrates once when two nodes start together', async () => {
    const { options } = await empty();
    const nodes = await Promise.all([0, 1, 2].map(() => openStorage({ ...options, migrations })));
    const { rows } = await sql`select number, name from schema_migrations`.execute(nodes[0]!.db);
    expect(rows).toEqual([{ number: 1, name: 'counters' }]);
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('rolls a failed migration back whole', async () => {
    const { options } = await empty();
    const broken: Migration = {
      number: 10,
      name: 'broken',
      statements: (db) => [
        db.schema.createTable('half').addColumn('id', 'text'),
        db.schema.alterTable('absent').addColumn('x', 'text'),
      ],
    };
    await expect(openStorage({ ...options, migrations: [counters, broken] })).rejects.toThrow(/absent/);
    const storage = await openStorage({ ...options, migrations });
    await expect(sql`select * from half`.execute(storage.db)).rejects.toThrow(/half/);
    await storage.close();
  });

  it('refuses a changed, an unknown and a late migration, and a list out of order', async () => {
    const { options } = await empty();
    const next: Migration = {
      number: 3,
      name: 'next',
      statements: (db) => [db.schema.createTable('next').addColumn('id', 'text')],
    };
    await (await openStorage({ ...options, migrations: [counters, next] })).close();
    const changed: Migration = {
      ...counters,
      statements: (db) => [db.schema.createTable('counters').addColumn('id', 'integer')],
    };
    await expect(openStorage({ ...options, migrations: [changed, next] })).rejects.toThrow('was changed');
    await expect(openStorage({ ...options, migrations: [counters] })).rejects.toThrow('does not know');
    const late = { ...next, number: 2, name: 'late' };
    await expect(openStorage({ ...options, migrations: [counters, late, next] })).rejects.toThrow(
      'higher number',
    );
    const otherMigration: Migration = {
      number: 10,
      name: 'other',
      statements: (db) => [db.schema.createTable('other').addColumn('id', 'text')],
    };
    await expect(openStorage({ ...options, migrations: [otherMigration, counters] })).rejects.toThrow(
      'must increase',
    );
    await (await openStorage({ ...options, migrations: [counters, next, otherMigration] })).close();
  });

  it('says whether it is ready', async () => {
    const storage = await open({ migrations });
    expect(await storage.part()).toMatchObject({ ready: true, required: true });
    if (dialect === 'sqlite') {
      await storage.close();
      expect(await storage.part()).toMatchObject({ ready: false });
    }
  });
});
