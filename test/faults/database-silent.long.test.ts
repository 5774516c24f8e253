import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmptyDatabase, migratedDatabase } from '../foundation/storage/databases.ts';
import { POSTGRES_URL } from '../foundation/storage/templates.ts';
import { until } from '../poll.ts';
import { compileProgram } from '../running-server.ts';
import { Caller } from './client.ts';
import { DatabaseProxy } from './database-proxy.ts';
import { ServerProcess } from './server-process.ts';

const RECOVERY_MS = 10_000;

describe.skipIf(!POSTGRES_URL)('a database that goes silent under a server', () => {
  let database: EmptyDatabase;
  let proxy: DatabaseProxy;
  let served: ServerProcess;

  beforeAll(async () => {
    await compileProgram();
    database = await migratedDatabase('postgres');
    proxy = await DatabaseProxy.open(database.options.databaseUrl as string);
    served = await ServerProcess.start({
      environment: { TRUNKLINE_DATABASE_URL: proxy.url, TRUNKLINE_DRAIN_SECONDS: '1' },
    });
  }, 240_000);

  afterAll(async () => {
    await proxy?.close();
    await served?.kill();
    await database?.remove();
  }, 60_000);

  const status = async (path: string) => (await fetch(served.url + path)).status;

  it('is not ready meanwhile, and serves within ten seconds of new connections, though old ones stay dumb', async () => {
    const caller = new Caller(served, await served.key());
    for (let outage = 0; outage < 2; outage += 1) {
      proxy.silence();
      await until(async () => (await status('/readyz')) === 503);
      expect(await status('/healthz')).toBe(200);
      expect(await caller.send('GET', '/v1/me')).toMatchObject({ status: 503 });
      proxy.speak();
      const back = performance.now();
      await until(async () => (await status('/readyz')) === 200);
      await until(async () => (await caller.send('GET', '/v1/me')).status === 200);
      expect(performance.now() - back).toBeLessThan(RECOVERY_MS);
    }
  }, 120_000);

  it('does not keep it from ending', async () => {
    proxy.silence();
    const began = performance.now();
    await served.end();
    expect(performance.now() - began).toBeLessThan(15_000);
  }, 60_000);
});
