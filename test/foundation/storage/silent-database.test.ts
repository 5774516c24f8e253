/**
 * PostgreSQL goes silent, as behind a firewall that drops every packet: connections stay open, and nothing arrives.
 */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storageFaultOf } from '../../../src/foundation/platform/storage-fault.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { DatabaseProxy } from '../../faults/database-proxy.ts';
import { until } from '../../poll.ts';
import { type EmptyDatabase, migratedDatabase } from './databases.ts';
import { onServer, POSTGRES_URL } from './templates.ts';

describe.skipIf(!POSTGRES_URL)('a database that goes silent', () => {
  let database: EmptyDatabase;
  let proxy: DatabaseProxy;
  let storage: Storage;
  const errors: string[] = [];

  beforeEach(async () => {
    errors.length = 0;
    database = await migratedDatabase('postgres');
    proxy = await DatabaseProxy.open(database.options.databaseUrl as string);
    storage = await openStorage({
      databaseUrl: proxy.url,
      poolSize: 2,
      onError: (error) => errors.push(error.message),
    });
  });

  afterEach(async () => {
    await proxy.close();
    await storage.close();
    await database.remove();
  });

  const ask = () => sql`select 1`.execute(storage.db);
  const failure = async (task: Promise<unknown>) =>
    await task.then(
      () => null,
      (error: Error) => error,
    );

  it('fails what was asked as away, and is used again as soon as it answers new connections', async () => {
    const gaps: number[] = [];
    const heard: string[] = [];
    storage.listen('topic', { onMessage: (text) => heard.push(text), onGap: () => gaps.push(1) });
    await Promise.all([ask(), ask()]);
    proxy.silence();
    const began = performance.now();
    const failed = await Promise.all([failure(ask()), failure(ask())]);
    expect(performance.now() - began).toBeLessThan(10_000);
    for (const error of failed) expect(storageFaultOf(error)).toBe('away');
    expect(errors.join()).toContain('no answer in 3000 ms');
    proxy.speak();
    const back = performance.now();
    await until(async () => (await failure(ask())) === null);
    await until(() => gaps.length > 0);
    expect(performance.now() - back).toBeLessThan(10_000);
    await storage.notify('topic', 'again');
    await until(() => heard.includes('again'));
  }, 60_000);

  it('lets a long statement end on a server that answers', async () => {
    const { rows } = await sql<{ slow: string }>`select 'slow' as slow from pg_sleep(7)`.execute(storage.db);
    expect(rows).toEqual([{ slow: 'slow' }]);
    expect(errors).toEqual([]);
  }, 60_000);

  it('does not hold up the end of the process', async () => {
    await ask();
    proxy.silence();
    const asked = failure(ask());
    const began = performance.now();
    await storage.close();
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(storageFaultOf(await asked)).toBe('away');
  }, 60_000);

  it('that was read-only is ready with the first write that it takes', async () => {
    const name = new URL(proxy.url).pathname.slice(1);
    const setReadOnly = (how: string) =>
      onServer((client) => client.query(`alter database ${name} set default_transaction_read_only = ${how}`));
    const write = () => storage.transaction((t) => sql`create table notes (id text)`.execute(t));
    await setReadOnly('on');
    proxy.cutAll();
    await until(async () => (await failure(ask())) === null);
    expect(storageFaultOf(await failure(write()))).toBe('read_only');
    expect(await storage.part()).toMatchObject({ ready: false, detail: expect.stringMatching(/read-only/) });
    await setReadOnly('off');
    // The first refusal closes the connections that saw the standby.
    await until(async () => (await storage.part()).ready);
    await write();
  }, 60_000);
});
