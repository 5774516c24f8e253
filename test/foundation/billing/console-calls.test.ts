/** Calls from the console's agent builder have a meter of their own; every other call bills `omni`, with a profile or without. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { World } from '../../contract/world.ts';
import { callFrom } from './wires.ts';

const ORIGIN = 'https://console.example.com';
// biome-ignore lint/suspicious/noExplicitAny: answers of every kind.
type Json = any;

const world = await World.open();
if (process.env.CI === 'true' && !world.ready) throw new Error('the models are absent');
let storage: Storage;
beforeAll(async () => {
  storage = await openStorage({ dataDir: world.data });
});
afterAll(async () => {
  await storage.close();
  await world.stop();
});

async function ask(key: string, method: string, path: string, body: object): Promise<Json> {
  const answer = await world.send(path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([200, 201], answer.text).toContain(answer.status);
  return answer.json;
}

async function written(keyId: string) {
  const reserves = storage.db.selectFrom('usage_holds').select('id').where('key_id', '=', keyId);
  await expect.poll(() => reserves.execute(), { timeout: 10_000 }).toEqual([]);
  const rows = await storage.db
    .selectFrom('usage_events')
    .select(['meter', 'milliseconds'])
    .where('key_id', '=', keyId)
    .execute();
  return rows.map(({ meter, milliseconds }) => [meter, Number(milliseconds)]);
}

describe.skipIf(!world.ready)('a call of an agent', () => {
  let agent: string;
  beforeAll(async () => {
    agent = (await ask(world.ours.key, 'POST', '/v1/agents', { name: 'Maya' })).id;
    await ask(world.ours.session, 'PUT', '/v1/omni/origins', { origins: [ORIGIN] });
  });

  const talked = async (key: string) => {
    const { token } = await ask(key, 'POST', '/v1/omni/sessions', { origin: ORIGIN, agent_id: agent });
    return (await callFrom(world, token, ORIGIN)).milliseconds;
  };

  it('is billed as `agents_beta` from the console', async () => {
    const session = await ask(world.ours.session, 'POST', '/auth/session/key', { environment: 'live' });
    const me = await world.send('/v1/me', { headers: { authorization: `Bearer ${session.api_key}` } });
    const milliseconds = await talked(session.api_key);
    expect(milliseconds).toBeGreaterThan(0);
    expect(await written(String(me.json?.key_id))).toEqual([['agents_beta', milliseconds]]);
  }, 120_000);

  it('is billed as `omni` from a customer’s own page', async () => {
    const key = await ask(world.ours.session, 'POST', '/v1/keys', { environment: 'live', scopes: ['*'] });
    const milliseconds = await talked(key.api_key);
    expect(milliseconds).toBeGreaterThan(0);
    expect(await written(key.id)).toEqual([['omni', milliseconds]]);
  }, 120_000);
});
