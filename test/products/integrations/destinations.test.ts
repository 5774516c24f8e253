// @requirement Integrations: Destinations have filters, pause, trial and versions.
import { expect, it } from 'vitest';
import { verifyWebhook } from '../../../docs/guides/webhooks/verify.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { EVENTS } from '../../../src/foundation/events/index.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { until } from '../../poll.ts';
import { openIntegrations } from './services.ts';

const DESTINATIONS = '/v1/integrations/destinations';
const HOOKS = '/v1/integrations/zapier/hooks';
const RECAP = EVENTS['recap.call.completed'].sample;

type Service = Awaited<ReturnType<typeof openIntegrations>>;

const happens = (
  { storage, webhooks, access }: Service,
  data: object = {},
  scope = tenantScopeOf(access.principal()),
) =>
  storage.transaction((trx) =>
    webhooks.publish(trx, {
      scope,
      type: 'recap.call.completed',
      data: { ...RECAP, ...data },
      urls: [],
    }),
  );

const settled = async ({ send }: Service, event: string, status: string) => {
  const ours = async () =>
    (await send('GET', '/v1/webhooks/deliveries')).json.data.find(
      (one: { event_id: string }) => one.event_id === event,
    );
  await until(async () => (await ours())?.status === status);
  return await ours();
};

onBothDatabases('destinations', (databases) => {
  const open = async () => await openIntegrations({ storage: await databases.open() });

  it('keep an address with a secret in its path sealed, and show it to their owner alone', async () => {
    const service = await open();
    const url = `${service.hook}/services/T000/B000/secret-path`;
    const asked = { kind: 'slack', url, events: ['recap.call.completed'] };
    const { json } = await service.send('POST', DESTINATIONS, asked);
    const event = await happens(service);
    const delivery = await settled(service, String(event), 'delivered');
    expect(service.receiver.received.map(({ path }) => path)).toEqual(['/services/T000/B000/secret-path']);
    expect(delivery.url).toBe(`${service.hook}/`);
    const db = acrossTenants(service.storage.db);
    const rows = [
      await db.selectFrom('destinations').selectAll().execute(),
      await db.selectFrom('webhook_deliveries').selectAll().execute(),
      await db.selectFrom('audit_entries').selectAll().execute(),
    ];
    expect(JSON.stringify(rows)).not.toContain('secret-path');
    expect((await service.send('GET', `${DESTINATIONS}/${json.id}`)).json.url).toBe(url);
    await db.updateTable('destinations').set({ url }).where('id', '=', json.id).execute();
    expect((await service.send('GET', `${DESTINATIONS}/${json.id}`)).json.url).toBe(url);
    const moved = `${url}-2`;
    await service.send('PATCH', `${DESTINATIONS}/${json.id}`, { url: moved });
    const stored = await db.selectFrom('destinations').select('url').executeTakeFirstOrThrow();
    expect(stored.url).not.toContain('secret-path');
    expect((await service.send('GET', `${DESTINATIONS}/${json.id}`)).json.url).toBe(moved);
  });

  it('are told of their events alone, signed, in the envelope', async () => {
    const service = await open();
    const { secret } = await service.webhooks.mintSecret(tenantScopeOf(service.access.principal()));
    const { json } = await service.send('POST', DESTINATIONS, {
      url: `${service.hook}/a`,
      events: ['recap.call.completed'],
    });
    await service.send('POST', DESTINATIONS, { url: `${service.hook}/b`, events: ['amd.decided'] });
    const event = await happens(service);
    expect(await settled(service, String(event), 'delivered')).toMatchObject({ url: `${service.hook}/a` });
    expect(service.receiver.received.map(({ path }) => path)).toEqual(['/a']);
    const { body, headers } = service.receiver.received[0]!;
    const flat = headers as Record<string, string>;
    expect(
      verifyWebhook({ body: Buffer.from(body), headers: flat }, secret, service.clock.now() / 1000),
    ).toEqual({
      id: event,
      type: 'recap.call.completed',
      created_at: service.clock.now(),
      data: RECAP,
    });
    expect(json).toMatchObject({ kind: 'webhook', status: 'active', event_version: '2026-11-22' });
  });

  it('let through what their filters say', async () => {
    const service = await open();
    await service.send('POST', DESTINATIONS, {
      url: service.hook,
      events: ['recap.call.completed', 'recap.complete'],
      filters: { 'recap.call.completed': { outcome: ['resolved', 'follow_up'], 'source.kind': 'call' } },
    });
    expect(await happens(service, { outcome: 'unresolved' })).toBeNull();
    expect(await happens(service, { source: { kind: 'job', id: 'job_1' } })).toBeNull();
    expect(await happens(service, { outcome: 'resolved' })).toMatch(/^evt_/);
  });

  it('move to another address, with what is on its way', async () => {
    const service = await open();
    const made = { url: `${service.hook}/a`, events: ['recap.call.completed'] };
    const { json } = await service.send('POST', DESTINATIONS, made);
    const path = `${DESTINATIONS}/${json.id}`;
    const moved = await service.send('PATCH', path, { url: `${service.hook}/b` });
    expect(moved).toMatchObject({ status: 200, json: { url: `${service.hook}/b` } });
    await settled(service, String(await happens(service)), 'delivered');
    expect(service.receiver.received.map((one) => one.path)).toEqual(['/b']);
    const bad = await service.send('PATCH', path, { url: 'http://example.com/' });
    expect([bad.status, bad.json.error.param]).toEqual([400, 'url']);
    const surplus = await service.send('PATCH', path, { settings: { surprise: 1 } });
    expect([surplus.status, surplus.json.error.param]).toEqual([400, 'settings.surprise']);
  });

  it('hear nothing of another organization, project or environment', async () => {
    const service = await open();
    await service.send('POST', DESTINATIONS, { url: service.hook, events: ['recap.call.completed'] });
    const { orgId } = service.access.principal();
    for (const scope of [
      scopeFor('org_other'),
      scopeFor(orgId, { projectId: 'proj_other' }),
      scopeFor(orgId, { environment: 'live' }),
    ])
      expect(await happens(service, {}, scope)).toBeNull();
  });

  it('keep nothing while they are paused, and go on with what was on its way', async () => {
    const service = await open();
    const { json } = await service.send('POST', DESTINATIONS, {
      url: service.hook,
      events: ['recap.call.completed'],
    });
    const path = `${DESTINATIONS}/${json.id}`;
    service.receiver.answer = (_request, response) => response.writeHead(500).end();
    const event = String(await happens(service));
    await until(async () => (await settled(service, event, 'pending')).attempts === 1);
    expect((await service.send('PATCH', path, { status: 'paused' })).json.status).toBe('paused');
    expect(await happens(service)).toBeNull();
    service.clock.advance(6_000);
    await until(async () => (await settled(service, event, 'pending')).attempts === 2);
    expect(await settled(service, event, 'pending')).toMatchObject({ error: 'The destination is paused.' });
    await service.send('PATCH', path, { status: 'active' });
    service.receiver.answer = (_request, response) => response.writeHead(204).end();
    service.clock.advance(33_000);
    await settled(service, event, 'delivered');
    expect(service.receiver.received.length).toBe(2);
  });

  it('are not told what was on its way when they were removed', async () => {
    const service = await open();
    const { json } = await service.send('POST', DESTINATIONS, {
      url: service.hook,
      events: ['recap.call.completed'],
    });
    service.receiver.answer = (_request, response) => response.writeHead(500).end();
    const event = String(await happens(service));
    await until(async () => (await settled(service, event, 'pending')).attempts === 1);
    expect(await service.send('DELETE', `${DESTINATIONS}/${json.id}`)).toEqual({
      status: 200,
      json: { id: json.id, object: 'integration.destination', deleted: true },
    });
    service.clock.advance(6_000);
    expect(await settled(service, event, 'dead')).toMatchObject({ error: 'The destination was removed.' });
    expect((await service.send('GET', `${DESTINATIONS}/${json.id}`)).status).toBe(404);
  });

  // @requirement Integrations: REST hooks unsubscribe on 410.
  it('are gone once they answer 410, and hooks no more', async () => {
    const service = await open();
    const { json } = await service.send('POST', DESTINATIONS, {
      url: `${service.hook}/d`,
      events: ['recap.call.completed'],
    });
    const { json: hook } = await service.send('POST', HOOKS, {
      target_url: `${service.hook}/h`,
      event: 'recap.call.completed',
    });
    expect(hook).toMatchObject({ object: 'integration.hook', event: 'recap.call.completed' });
    expect((await service.send('GET', HOOKS)).json.data).toEqual([hook]);
    service.receiver.answer = (_request, response) => response.writeHead(410).end();
    await happens(service);
    await until(async () => (await service.send('GET', HOOKS)).json.data.length === 0);
    await until(async () => (await service.send('GET', `${DESTINATIONS}/${json.id}`)).json.status === 'gone');
    expect(await happens(service)).toBeNull();
    expect((await service.send('DELETE', `${HOOKS}/${hook.id}`)).status).toBe(404);
  });
});

it('sends the sample of any event to a destination that somebody tries out', async () => {
  const service = await openIntegrations();
  const { json } = await service.send('POST', DESTINATIONS, { url: service.hook, events: ['amd.decided'] });
  const test = (body: object) => service.send('POST', `${DESTINATIONS}/${json.id}/test`, body);
  const plain = await test({});
  expect(plain).toMatchObject({ status: 202, json: { object: 'integration.test', destination_id: json.id } });
  await settled(service, plain.json.event_id, 'delivered');
  expect(JSON.parse(service.receiver.received[0]!.body)).toMatchObject({ data: { destination_id: json.id } });
  const { json: recap } = await test({ event: 'recap.complete' });
  await settled(service, recap.event_id, 'delivered');
  expect(JSON.parse(service.receiver.received[1]!.body)).toMatchObject({
    type: 'recap.complete',
    data: RECAP,
  });
});

it('shows the sample of an event to automation tools, as the catalogue does', async () => {
  const { send } = await openIntegrations();
  const { json: events } = await send('GET', '/v1/integrations/events');
  for (const { type, sample } of events.data)
    expect((await send('GET', `/v1/integrations/zapier/samples/${type}`)).json.data).toEqual([sample]);
  expect((await send('GET', '/v1/integrations/zapier/samples/thing.done')).status).toBe(404);
});

it.each([
  ['events', { url: 'https://example.com/', events: [] }],
  ['events.0', { url: 'https://example.com/', events: ['thing.done'] }],
  ['url', { events: ['amd.decided'] }],
  ['url', { url: 'http://example.com/', events: ['amd.decided'] }],
  ['url', { url: 'https://10.0.0.1/', events: ['amd.decided'] }],
  ['url', { url: 'file:///etc/passwd', events: ['amd.decided'] }],
  ['kind', { kind: 'pigeon', url: 'https://example.com/', events: ['amd.decided'] }],
  ['settings.surprise', { url: 'https://example.com/', events: ['amd.decided'], settings: { surprise: 1 } }],
  ['settings.mapping', { kind: 'crm', url: 'https://example.com/', events: ['amd.decided'] }],
  [
    'settings.bucket',
    { kind: 's3', events: ['amd.decided'], settings: { access_key_id: 'a', secret_access_key: 'b' } },
  ],
  ['kind', { kind: 'email', events: ['amd.decided'], settings: { to: ['ada@example.com'] } }],
  [
    'filters',
    { url: 'https://example.com/', events: ['amd.decided'], filters: { 'recap.complete': { outcome: 'x' } } },
  ],
  [
    'filters',
    { url: 'https://example.com/', events: ['amd.decided'], filters: { 'amd.decided': { outcome: 'x' } } },
  ],
  ['event_version', { url: 'https://example.com/', events: ['amd.decided'], event_version: '2020-01-01' }],
])('refuses a destination, and names %s', async (param, body) => {
  const { send } = await openIntegrations({ environment: 'live' });
  expect(await send('POST', DESTINATIONS, body)).toMatchObject({
    status: 400,
    json: { error: { code: 'invalid_request', param } },
  });
});

it('holds a project to a hundred of them', async () => {
  const { send } = await openIntegrations();
  const one = { url: 'https://example.com/', events: ['amd.decided'] };
  for (let n = 0; n < 100; n += 1) await send('POST', DESTINATIONS, one);
  expect(await send('POST', DESTINATIONS, one)).toMatchObject({ status: 400 });
});
