// @requirement Providers: Calls are served with the customer's own key, and no other customer's.
// @requirement Providers: A key that was deleted, replaced or revoked at the service is asked with no more, and the call goes on here.
// @requirement Providers: No answer, list or audit entry shows a customer's key, and the database has it sealed.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acrossTenants, openStorage } from '../../../../src/foundation/storage/index.ts';
import { type Tenant, World } from '../../../contract/world.ts';
import { itLong } from '../../../long-tests.ts';
import { agentSaid, press } from '../omni/fault-helpers.ts';
import { absent, Client } from '../omni/server.ts';

const GREETING = 'We are open from nine until five, and you may come at any time you like.';
const KEY = 'sk-the-key-of-ours-0123456789';

const world = await World.open({ settings: { TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true' } });
const revoked = new Set<string>();
const asked: string[] = [];
let sound: Buffer;
let service: Server;
let url = '';

beforeAll(async () => {
  service = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const key = String(request.headers.authorization).replace('Bearer ', '');
      asked.push(key);
      if (revoked.has(key)) response.writeHead(401).end('{"error":"the key was revoked"}');
      else if (request.url?.endsWith('/transcriptions'))
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"of the service"}');
      else response.writeHead(200, { 'content-type': 'audio/pcm' }).end(sound);
    });
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
});
afterAll(async () => {
  service.closeAllConnections();
  service.close();
  await world.stop();
});
beforeEach(async () => {
  asked.length = 0;
  revoked.clear();
  for (const tenant of [world.ours, world.theirs])
    for (const { id } of await list(tenant)) await ask(tenant, 'DELETE', `/${id}`);
});

const ask = (tenant: Tenant, method: string, path = '', body?: object) =>
  world.send(`/v1/provider-keys${path}`, {
    method,
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function list(tenant: Tenant): Promise<{ id: string; name: string }[]> {
  return (await ask(tenant, 'GET')).json?.data as { id: string; name: string }[];
}

const voiceKey = (more: object = {}) => ({
  purpose: 'voice',
  name: 'default',
  kind: 'openai',
  key: KEY,
  url,
  voice: 'alloy',
  ...more,
});

async function store(tenant: Tenant, body: object): Promise<string> {
  const { status, json } = await ask(tenant, 'POST', '', body);
  expect([status, json]).toMatchObject([200, { object: 'provider_key' }]);
  return String(json?.id);
}

describe('the routes', () => {
  it('store, replace, list and delete a key, and show it nowhere', async () => {
    const id = await store(world.ours, voiceKey());
    expect(await store(world.ours, voiceKey({ key: `${KEY}-2`, voice: 'nova' })), 'replaced').toBe(id);
    const listed = await ask(world.ours, 'GET');
    expect(listed.json?.data).toMatchObject([
      { id, purpose: 'voice', name: 'default', kind: 'openai', url, voice: 'nova', allowed: true },
    ]);
    const audit = await world.send('/v1/audit', {
      headers: { authorization: `Bearer ${world.ours.session}` },
    });
    expect(audit.text).toContain('provider_key.replaced');
    const storage = await openStorage({ dataDir: world.data });
    const rows = await acrossTenants(storage.db).selectFrom('provider_keys').selectAll().execute();
    await storage.close();
    expect(rows).toHaveLength(1);
    for (const text of [listed.text, audit.text, JSON.stringify(rows)]) expect(text).not.toContain(KEY);
    expect(await ask(world.ours, 'DELETE', `/${id}`)).toMatchObject({ status: 200, json: { deleted: true } });
    expect(await list(world.ours)).toEqual([]);
    expect((await ask(world.ours, 'DELETE', `/${id}`)).status).toBe(404);
  });

  it("hide another organization's key, and neither delete nor replace it", async () => {
    const id = await store(world.ours, voiceKey());
    expect(await list(world.theirs)).toEqual([]);
    expect((await ask(world.theirs, 'DELETE', `/${id}`)).status).toBe(404);
    expect(await store(world.theirs, voiceKey({ key: 'sk-theirs' }))).not.toBe(id);
    expect(await list(world.ours)).toMatchObject([{ id }]);
  });

  it.each([
    ['key', { key: 'sk-with a space' }],
    ['key', { key: '' }],
    ['url', { url: 'http://example.com/v1' }],
    ['url', { url: 'https://10.0.0.7/v1' }],
    ['url', { url: 'https://name:word@example.com/v1' }],
    ['url', { url: 'https://example.com/v1?api-key=SECRET' }],
    ['url', { url: 'https://example.com/v1?api-version=2024-10-21&key=SECRET' }],
    ['url', { url: 'https://example.com/v1?api-version=a%20SECRET' }],
    ['url', { url: 'https://example.com/v1#SECRET' }],
    ['voice', { voice: undefined }],
    ['languages', { languages: ['en'] }],
    ['name', { name: 'local' }],
    ['name', { purpose: 'recognition', voice: undefined, name: 'whisper-base' }],
    ['voice', { purpose: 'recognition' }],
    ['kind', { purpose: 'recognition', kind: 'scribe', voice: undefined }],
  ])('refuse a wrong %s: %o', async (param, more) => {
    const answer = await ask(world.ours, 'POST', '', voiceKey(more));
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
    const { error } = answer.json as { error: { param?: string; message: string } };
    expect(`${error.param} ${error.message}`).toContain(param);
    expect(answer.text).not.toMatch(/SECRET|sk-the-key/);
    expect(await list(world.ours)).toEqual([]);
  });

  it('accept the version of an API in the url', async () => {
    const versioned = 'https://example.com/v1?api-version=2024-10-21-preview';
    await store(world.ours, voiceKey({ url: versioned }));
    expect(await list(world.ours)).toMatchObject([{ url: versioned }]);
  });

  it('let an agent name only a key of its own customer', async () => {
    await store(world.ours, voiceKey({ name: 'mine' }));
    await store(world.ours, { ...voiceKey({ voice: undefined }), purpose: 'recognition', name: 'ears' });
    const agent = (tenant: Tenant, more: object) =>
      world.send('/v1/agents', {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'An agent', ...more }),
      });
    expect((await agent(world.ours, { voice_provider: 'mine', recognizer: 'ears' })).status).toBe(201);
    for (const [param, value] of Object.entries({ voice_provider: 'mine', recognizer: 'ears' })) {
      const refused = await agent(world.theirs, { [param]: value });
      expect(refused.json).toMatchObject({ error: { code: 'invalid_request', param } });
    }
  });
});

describe.skipIf(absent !== '')('calls', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    const response = await fetch(`${world.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.theirs.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'svc-speak',
        voice: 'joe_en_us',
        input: GREETING,
        response_format: 'pcm',
      }),
    });
    sound = Buffer.from(await response.arrayBuffer());
  }, 120_000);

  async function call(tenant: Tenant, during: (client: Client) => Promise<void> = async () => {}) {
    const client = await new Client(world.url, undefined, tenant.key).opened();
    const { call_id: id } = await client.configure({ greeting: GREETING });
    await client.silenceUntil(() => agentSaid(client) !== '');
    await during(client);
    client.control({ type: 'end' });
    await client.closed();
    const find = () =>
      world.send(`/v1/omni/calls/${String(id)}`, { headers: { authorization: `Bearer ${tenant.key}` } });
    await expect.poll(async () => (await find()).status, { timeout: 15_000 }).toBe(200);
    const { providers, degraded } = (await find()).json as {
      providers: Record<string, unknown>[];
      degraded: { step: string; reason: string }[];
    };
    return { id: String(id), providers, degraded: degraded.map(({ step, reason }) => `${step} ${reason}`) };
  }

  it("ask with the customer's own key, and say so in the record and the ledger", async () => {
    await store(world.ours, voiceKey());
    const theirs = await call(world.theirs);
    expect([theirs.providers, asked], "no other customer's call").toEqual([[], []]);
    const { id, providers, degraded } = await call(world.ours);
    expect(new Set(asked)).toEqual(new Set([KEY]));
    expect(degraded).toEqual([]);
    expect(providers).toMatchObject([
      { kind: 'speech', provider: 'default', credential: 'customer', failures: 0 },
    ]);
    expect(providers[0]?.host).toBe(new URL(url).host);
    const storage = await openStorage({ dataDir: world.data });
    const costs = await acrossTenants(storage.db)
      .selectFrom('provider_costs')
      .selectAll()
      .where('resource', '=', id)
      .execute();
    await storage.close();
    expect(costs).toMatchObject([
      { org_id: world.ours.orgId, credential: 'customer', provider: 'default', cost_micros: 0 },
    ]);
  });

  it('go on with the local voice where the service has revoked the key', async () => {
    await store(world.ours, voiceKey());
    revoked.add(KEY);
    const { providers, degraded } = await call(world.ours);
    expect(degraded).toEqual(['voice voice_refused']);
    expect(providers).toMatchObject([{ credential: 'customer', failures: 1 }]);
  });

  itLong('ask no more with a key that was deleted or replaced while they run', async () => {
    for (const change of ['delete', 'replace']) {
      const id = await store(world.ours, voiceKey());
      let before = 0;
      const { degraded } = await call(world.ours, async (client) => {
        before = asked.length;
        if (change === 'delete') await ask(world.ours, 'DELETE', `/${id}`);
        else await store(world.ours, voiceKey({ key: 'sk-another' }));
        const said = agentSaid(client);
        press(client);
        await client.silenceUntil(() => agentSaid(client) !== said);
      });
      expect(before, change).toBeGreaterThan(0);
      expect(asked.length, change).toBe(before);
      expect(degraded).toEqual([]);
    }
  });
});
