/** Destinations and hooks through a real server and the outbox: what is told, to whom, and what is refused. */
import { expect, it } from 'vitest';
import { verifyWebhook } from '../../../docs/guides/webhooks/verify.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { EVENTS } from '../../../src/foundation/events/index.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { reachFor } from '../../foundation/access/tenant-scopes.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { until } from '../../poll.ts';
import { openIntegrations } from './services.ts';

const DESTINATIONS = '/v1/integrations/destinations';
const HOOKS = '/v1/integrations/zapier/hooks';
const RECAP = EVENTS['recap.call.completed'].sample;

type Room = Awaited<ReturnType<typeof openIntegrations>>;

/** A call's record is made. */
const happens = (
  { storage, webhooks, access }: Room,
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

const settled = async ({ send }: Room, event: string, status: string) => {
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
    const room = await open();
    const url = `${room.hook}/services/T000/B000/secret-path`;
    const asked = { kind: 'slack', url, events: ['recap.call.completed'] };
    const { json } = await room.send('POST', DESTINATIONS, asked);
    const event = await happens(room);
    const delivery = await settled(room, String(event), 'delivered');
    expect(room.receiver.received.map(({ path }) => path)).toEqual(['/services/T000/B000/secret-path']);
    expect(delivery.url).toBe(`${room.hook}/`);
    const db = acrossTenants(room.storage.db);
    const rows = [
      await db.selectFrom('destinations').selectAll().execute(),
      await db.selectFrom('webhook_deliveries').selectAll().execute(),
      await db.selectFrom('audit_entries').selectAll().execute(),
    ];
    expect(JSON.stringify(rows)).not.toContain('secret-path');
    expect((await room.send('GET', `${DESTINATIONS}/${json.id}`)).json.url).toBe(url);
    // As it lay there before, and what sealed a row opens no other.
    await db.updateTable('destinations').set({ url }).where('id', '=', json.id).execute();
    expect((await room.send('GET', `${DESTINATIONS}/${json.id}`)).json.url).toBe(url);
    const moved = `${url}-2`;
    await room.send('PATCH', `${DESTINATIONS}/${json.id}`, { url: moved });
    const kept = await db.selectFrom('destinations').select('url').executeTakeFirstOrThrow();
    expect(kept.url).not.toContain('secret-path');
    expect((await room.send('GET', `${DESTINATIONS}/${json.id}`)).json.url).toBe(moved);
  });

  it('are told of their events alone, signed, in the envelope', async () => {
    const room = await open();
    const { secret } = await room.webhooks.mintSecret(tenantScopeOf(room.access.principal()));
    const { json } = await room.send('POST', DESTINATIONS, {
      url: `${room.hook}/a`,
      events: ['recap.call.completed'],
    });
    await room.send('POST', DESTINATIONS, { url: `${room.hook}/b`, events: ['amd.decided'] });
    const event = await happens(room);
    expect(await settled(room, String(event), 'delivered')).toMatchObject({ url: `${room.hook}/a` });
    expect(room.receiver.received.map(({ path }) => path)).toEqual(['/a']);
    const { body, headers } = room.receiver.received[0]!;
    const flat = headers as Record<string, string>;
    expect(
      verifyWebhook({ body: Buffer.from(body), headers: flat }, secret, room.clock.now() / 1000),
    ).toEqual({
      id: event,
      type: 'recap.call.completed',
      created_at: room.clock.now(),
      data: RECAP,
    });
    expect(json).toMatchObject({ kind: 'webhook', status: 'active', event_version: '2026-11-22' });
  });

  it('let through what their filters say', async () => {
    const room = await open();
    await room.send('POST', DESTINATIONS, {
      url: room.hook,
      events: ['recap.call.completed', 'recap.complete'],
      filters: { 'recap.call.completed': { outcome: ['resolved', 'follow_up'], 'source.kind': 'call' } },
    });
    expect(await happens(room, { outcome: 'unresolved' })).toBeNull();
    expect(await happens(room, { source: { kind: 'job', id: 'job_1' } })).toBeNull();
    expect(await happens(room, { outcome: 'resolved' })).toMatch(/^evt_/);
  });

  it('move to another address, with what is on its way', async () => {
    const room = await open();
    const made = { url: `${room.hook}/a`, events: ['recap.call.completed'] };
    const { json } = await room.send('POST', DESTINATIONS, made);
    const path = `${DESTINATIONS}/${json.id}`;
    const moved = await room.send('PATCH', path, { url: `${room.hook}/b` });
    expect(moved).toMatchObject({ status: 200, json: { url: `${room.hook}/b` } });
    await settled(room, String(await happens(room)), 'delivered');
    expect(room.receiver.received.map((one) => one.path)).toEqual(['/b']);
    const bad = await room.send('PATCH', path, { url: 'http://example.com/' });
    expect([bad.status, bad.json.error.param]).toEqual([400, 'url']);
    const surplus = await room.send('PATCH', path, { settings: { surprise: 1 } });
    expect([surplus.status, surplus.json.error.param]).toEqual([400, 'settings.surprise']);
  });

  it('hear nothing of another organization, project or environment', async () => {
    const room = await open();
    await room.send('POST', DESTINATIONS, { url: room.hook, events: ['recap.call.completed'] });
    const { orgId } = room.access.principal();
    for (const scope of [
      reachFor('org_other'),
      reachFor(orgId, { projectId: 'proj_other' }),
      reachFor(orgId, { environment: 'live' }),
    ])
      expect(await happens(room, {}, scope)).toBeNull();
  });

  it('keep nothing while they are paused, and go on with what was on its way', async () => {
    const room = await open();
    const { json } = await room.send('POST', DESTINATIONS, {
      url: room.hook,
      events: ['recap.call.completed'],
    });
    const path = `${DESTINATIONS}/${json.id}`;
    room.receiver.answer = (_request, response) => response.writeHead(500).end();
    const event = String(await happens(room));
    await until(async () => (await settled(room, event, 'pending')).attempts === 1);
    expect((await room.send('PATCH', path, { status: 'paused' })).json.status).toBe('paused');
    expect(await happens(room)).toBeNull();
    room.clock.advance(6_000);
    await until(async () => (await settled(room, event, 'pending')).attempts === 2);
    expect(await settled(room, event, 'pending')).toMatchObject({ error: 'The destination is paused.' });
    await room.send('PATCH', path, { status: 'active' });
    room.receiver.answer = (_request, response) => response.writeHead(204).end();
    room.clock.advance(33_000);
    await settled(room, event, 'delivered');
    expect(room.receiver.received.length).toBe(2);
  });

  it('are not told what was on its way when they were removed', async () => {
    const room = await open();
    const { json } = await room.send('POST', DESTINATIONS, {
      url: room.hook,
      events: ['recap.call.completed'],
    });
    room.receiver.answer = (_request, response) => response.writeHead(500).end();
    const event = String(await happens(room));
    await until(async () => (await settled(room, event, 'pending')).attempts === 1);
    expect(await room.send('DELETE', `${DESTINATIONS}/${json.id}`)).toEqual({
      status: 200,
      json: { id: json.id, object: 'integration.destination', deleted: true },
    });
    room.clock.advance(6_000);
    expect(await settled(room, event, 'dead')).toMatchObject({ error: 'The destination was removed.' });
    expect((await room.send('GET', `${DESTINATIONS}/${json.id}`)).status).toBe(404);
  });

  it('are gone once they answer 410, and hooks no more', async () => {
    const room = await open();
    const { json } = await room.send('POST', DESTINATIONS, {
      url: `${room.hook}/d`,
      events: ['recap.call.completed'],
    });
    const { json: hook } = await room.send('POST', HOOKS, {
      target_url: `${room.hook}/h`,
      event: 'recap.call.completed',
    });
    expect(hook).toMatchObject({ object: 'integration.hook', event: 'recap.call.completed' });
    expect((await room.send('GET', HOOKS)).json.data).toEqual([hook]);
    room.receiver.answer = (_request, response) => response.writeHead(410).end();
    await happens(room);
    await until(async () => (await room.send('GET', HOOKS)).json.data.length === 0);
    await until(async () => (await room.send('GET', `${DESTINATIONS}/${json.id}`)).json.status === 'gone');
    expect(await happens(room)).toBeNull();
    expect((await room.send('DELETE', `${HOOKS}/${hook.id}`)).status).toBe(404);
  });
});

it('sends the sample of any event to a destination that somebody tries out', async () => {
  const room = await openIntegrations();
  const { json } = await room.send('POST', DESTINATIONS, { url: room.hook, events: ['amd.decided'] });
  const test = (body: object) => room.send('POST', `${DESTINATIONS}/${json.id}/test`, body);
  const plain = await test({});
  expect(plain).toMatchObject({ status: 202, json: { object: 'integration.test', destination_id: json.id } });
  await settled(room, plain.json.event_id, 'delivered');
  expect(JSON.parse(room.receiver.received[0]!.body)).toMatchObject({ data: { destination_id: json.id } });
  const { json: recap } = await test({ event: 'recap.complete' });
  await settled(room, recap.event_id, 'delivered');
  expect(JSON.parse(room.receiver.received[1]!.body)).toMatchObject({ type: 'recap.complete', data: RECAP });
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
