// @requirement Platform: `/metrics` and the details of `/readyz` need the operator.
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../../src/edge/server/index.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { openStorage } from '../../../src/foundation/storage/index.ts';
import { openService } from '../../foundation/access/access-service.ts';
import { migratedDatabase } from '../../foundation/storage/databases.ts';

const OPERATOR = 'operator-token-of-the-test';
const REMOTE = { 'x-forwarded-for': '203.0.113.9' };
const sent = (token: string) => ({ ...REMOTE, authorization: `Bearer ${token}` });

async function open() {
  const database = await migratedDatabase('sqlite');
  const storage = await openStorage(database.options);
  const service = await openService(storage, { operatorToken: OPERATOR });
  const server = await createServer({
    log: createLog({ level: 'silent' }),
    access: service.access,
    surfaces: [],
    parts: new Map([
      ['store', () => [{ name: 'the-database', ready: false, required: true, detail: 'gone' }]],
    ]),
    config: { host: '127.0.0.1', port: 0, baseUrl: null, trustedProxies: ['127.0.0.1'], drainSeconds: 0 },
  });
  onTestFinished(async () => {
    await server.close();
    await storage.close();
    await database.remove();
  });
  const url = await server.listen();
  const key = (await service.makeKey()).text;
  return { key, ask: (path: string, headers: Record<string, string>) => fetch(url + path, { headers }) };
}

it('refuses metrics and parts without the operator’s token, except on this machine', async () => {
  const { ask, key } = await open();
  const refused: [number, Record<string, string>][] = [
    [401, REMOTE],
    [401, { 'x-forwarded-for': '127.0.0.1' }],
    [401, { 'x-real-ip': '127.0.0.1' }],
    [401, { forwarded: 'for=127.0.0.1' }],
    [401, sent('not-the-token-of-the-operator')],
    [403, sent(key)],
  ];
  for (const [status, headers] of refused) {
    const metrics = await ask('/metrics', headers);
    expect(metrics.status, JSON.stringify(headers)).toBe(status);
    expect(await metrics.text()).not.toContain('# TYPE');
    const ready = await ask('/readyz', headers);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ status: 'not_ready', not_ready: [], parts: [] });
  }
  for (const headers of [sent(OPERATOR), { ...REMOTE, 'x-api-key': OPERATOR }, {}]) {
    const metrics = await ask('/metrics', headers);
    expect([metrics.status, await metrics.text()]).toEqual([200, expect.stringContaining('# TYPE')]);
    const { parts, not_ready } = (await (await ask('/readyz', headers)).json()) as Record<string, unknown[]>;
    expect(parts).toContainEqual(expect.objectContaining({ name: 'the-database', ready: false }));
    expect(not_ready).toContainEqual({ name: 'the-database', detail: 'gone' });
  }
});
