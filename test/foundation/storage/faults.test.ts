import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import BetterSqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { storageFaultOf, storageRefusal } from '../../../src/foundation/platform/storage-fault.ts';
import {
  type Migration,
  openBlobs,
  openStorage,
  type Storage,
} from '../../../src/foundation/storage/index.ts';
import { itWhere } from '../../long-tests.ts';
import { onBothDatabases, onSqlite } from './databases.ts';

const notes: Migration = {
  number: 1,
  name: 'notes',
  statements: (db) => [
    db.schema
      .createTable('notes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('text', 'text', (column) => column.notNull()),
  ],
};
const migrations = [notes];

const write = (storage: Storage, id: string, text: string) =>
  storage.transaction(async (t) => {
    await sql`insert into notes (id, text) values (${id}, ${text})`.execute(t);
  });
const ids = async (storage: Storage) =>
  (await sql<{ id: string }>`select id from notes order by id`.execute(storage.db)).rows.map(({ id }) => id);

/** Allows the database no further page: SQLite then reports a full disk. */
async function fill(storage: Storage): Promise<void> {
  await sql`pragma max_page_count = 1`.execute(storage.db);
}
const freeSpace = (storage: Storage) => sql`pragma max_page_count = 1000000`.execute(storage.db);
const LARGE = 'x'.repeat(100_000);

onBothDatabases('a database that cannot take a write', ({ dialect, empty, open }) => {
  itWhere(dialect === 'sqlite')('says why, writes nothing, and takes writes again', async () => {
    const storage = await open({ migrations });
    await write(storage, 'before', 'a');
    expect(await storage.part()).toMatchObject({ ready: true });
    await fill(storage);
    const refused = await write(storage, 'large', LARGE).catch((error: Error) => error);
    expect(storageFaultOf(refused)).toBe('full');
    expect(storageRefusal(refused)).toMatchObject({ code: 'unavailable', status: 503, retryAfter: 60 });
    expect(await ids(storage)).toEqual(['before']);
    await freeSpace(storage);
    await write(storage, 'large', LARGE);
    expect(await ids(storage)).toEqual(['before', 'large']);
  });

  itWhere(dialect === 'sqlite')('names the fault until a write succeeds', async () => {
    let now = 0;
    const clock = { now: () => now, monotonic: () => now, after: () => () => {} };
    const storage = await open({ migrations, clock });
    expect(await storage.part()).toMatchObject({ ready: true });
    await sql`pragma query_only = on`.execute(storage.db);
    await write(storage, 'refused', 'a').catch(() => {});
    for (let look = 0; look < 3; look += 1) {
      now += 60_000;
      const detail = expect.stringMatching(/^its disk is read-only: /);
      expect(await storage.part()).toMatchObject({ ready: false, required: true, detail });
    }
    await sql`pragma query_only = off`.execute(storage.db);
    now += 1_000;
    expect(await storage.part()).toMatchObject({ ready: true });
  });

  it('tells a fault of the store from a mistake', async () => {
    const storage = await open({ migrations });
    await write(storage, 'once', 'a');
    const twice = await write(storage, 'once', 'b').catch((error: Error) => error);
    expect(twice).toBeInstanceOf(Error);
    expect(storageFaultOf(twice)).toBeNull();
    expect(storageRefusal(twice)).toBeNull();
  });

  itWhere(dialect === 'sqlite')('answers reads while another process holds the write lock', async () => {
    const { options } = await empty();
    const storage = await openStorage({ ...options, migrations });
    await write(storage, 'a', 'a');
    const other = new BetterSqlite(join(options.dataDir as string, 'trunkline.db'));
    other.exec('begin immediate');
    let written = false;
    const writing = write(storage, 'c', 'c').then(() => {
      written = true;
    });
    const also = sql`insert into notes (id, text) values ('d', 'd')`.execute(storage.db);
    for (let look = 0; look < 50; look += 1) expect(await ids(storage)).toEqual(['a']);
    expect(written).toBe(false);
    other.exec("insert into notes (id, text) values ('b', 'b')");
    other.exec('commit');
    expect(await ids(storage)).toContain('b');
    await writing;
    await also;
    expect(await ids(storage)).toEqual(['a', 'b', 'c', 'd']);
    other.close();
    await storage.close();
  });

  itWhere(dialect === 'sqlite')('reads what a transaction has written only within it', async () => {
    const storage = await open({ migrations });
    await storage.transaction(async (t) => {
      await sql`insert into notes (id, text) values ('a', 'a')`.execute(t);
      const { rows } = await sql`select id from notes`.execute(t);
      expect(rows).toEqual([{ id: 'a' }]);
    });
    expect(await ids(storage)).toEqual(['a']);
  });
});

const hashes = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !name.endsWith('-shm'))
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  );

onSqlite('a database file that is damaged', ({ empty }) => {
  const damages: [string, (file: string) => void][] = [
    ['is something else', (file) => writeFileSync(file, 'not a database at all '.repeat(500))],
    ['is cut off', (file) => truncateSync(file, 4096 * 3)],
    ['has a page of noise', (file) => overwrite(file, 0.5)],
    ['has a head of noise', (file) => overwrite(file, 0)],
  ];
  it.each(damages)('and %s is refused at start, and left as it is', async (_, damage) => {
    const { options } = await empty();
    const folder = options.dataDir as string;
    const storage = await openStorage({ ...options, migrations });
    for (let n = 0; n < 40; n += 1) await write(storage, `note ${n}`, LARGE);
    await storage.close();
    damage(join(folder, 'trunkline.db'));
    const before = hashes(folder);
    for (let start = 0; start < 2; start += 1) {
      const refused = await openStorage({ ...options, migrations }).catch((error: Error) => error);
      expect((refused as Error).message).toMatch(/trunkline\.db is damaged \(.+\) and was not changed/);
      expect(hashes(folder)).toMatchObject(before);
    }
  });
});

function overwrite(file: string, at: number): void {
  const bytes = readFileSync(file);
  const page = Math.floor((statSync(file).size / 4096) * at) * 4096;
  bytes.fill(0xa5, page, page + 4096);
  writeFileSync(file, bytes);
}

it('a store of files that does not answer is named, and takes no node out of service', async () => {
  const blobs = await openBlobs({
    s3: {
      bucket: 'gone',
      endpoint: 'http://127.0.0.1:9',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
    },
  });
  const key = { area: 'uploads', owner: 'org_1', name: 'file' };
  const payer = { orgId: 'org_1', environment: 'live' as const };
  const put = () => blobs.put(key, Readable.from([Buffer.from('a')]), { maxBytes: 10, payer });
  for (const ask of [put, () => blobs.stat(key), () => blobs.get(key)]) {
    const refused = await ask().then(
      () => null,
      (error: Error) => error,
    );
    expect(storageRefusal(refused)).toMatchObject({
      code: 'unavailable',
      message: 'The store of files does not answer now.',
    });
  }
  expect(await blobs.part()).toMatchObject({ ready: false, required: false });
  await blobs.close();
}, 60_000);
