// @requirement Platform: `/readyz` asks the object store at most every 10 s.
/** The readiness route is public, so checks that cost an external service something run rarely. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { throttleHealthSource } from '../../../src/edge/server/index.ts';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { openCoreServices } from '../../../src/main/main.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { start } from './fixtures/start.ts';

it('asks a part outside once in its time, and tells the last answer meanwhile', async () => {
  const clock = new ManualClock();
  let asked = 0;
  const store = throttleHealthSource(clock, 10_000, async () => {
    asked += 1;
    if (asked === 2) throw new Error('the store is away');
    return [{ name: 'store', ready: true, required: true }];
  });
  const { url } = await start({ parts: new Map([['store', store]]) });
  const look = async () => (await fetch(`${url}/readyz`)).status;
  expect(await Promise.all([look(), look(), look()])).toEqual([200, 200, 200]);
  expect((await fetch(url)).status).toBe(200);
  clock.advance(9_999);
  expect(await look()).toBe(200);
  expect(asked).toBe(1);
  clock.advance(1);
  expect(await look()).toBe(503);
  expect(await look()).toBe(503);
  expect(asked).toBe(2);
  clock.advance(10_000);
  expect(await look()).toBe(200);
  expect(asked).toBe(3);
});

it('asks the object store of the deployment so', async () => {
  const questions: string[] = [];
  const bucket = createServer((request, response) => {
    questions.push(`${request.method} ${request.url}`);
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => bucket.once('listening', resolve));
  const data = mkdtempSync(join(tmpdir(), 'readiness-'));
  const environment = {
    TRUNKLINE_DATA: data,
    TRUNKLINE_S3_ENDPOINT: `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`,
    TRUNKLINE_S3_BUCKET: 'files',
    TRUNKLINE_S3_ACCESS_KEY_ID: 'key',
    TRUNKLINE_S3_SECRET_ACCESS_KEY: 'secret',
  };
  const services = await openCoreServices(loadConfig(environment), createLog({ level: 'silent' }));
  try {
    const { url } = await start({ parts: services.parts });
    const before = questions.length;
    const began = performance.now();
    for (let time = 0; time < 5; time++) await fetch(`${url}/readyz`);
    await Promise.all(Array.from({ length: 5 }, () => fetch(`${url}/readyz`)));
    // The check runs once, unless this machine is so slow that the next one has become due.
    const most = 1 + Math.floor((performance.now() - began) / 10_000);
    const asked = questions.slice(before);
    expect(new Set(asked)).toEqual(new Set(['HEAD /files/']));
    expect(asked.length).toBeLessThanOrEqual(most);
  } finally {
    await services.close();
    bucket.closeAllConnections();
    bucket.close();
    rmSync(data, { recursive: true, force: true });
  }
});
