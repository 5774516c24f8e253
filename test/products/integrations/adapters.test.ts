// @requirement Integrations: Adapters exist for Slack, CRM, S3 and mail.
/** Each adapter runs against a real server in a process of its own, or a double by the maker's documentation. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { EVENTS } from '../../../src/foundation/events/index.ts';
import { signS3 } from '../../../src/products/integrations/adapters/s3-signature.ts';
import { fill } from '../../../src/products/integrations/paths.ts';
import { until } from '../../poll.ts';
import { openIntegrations } from './services.ts';

const DESTINATIONS = '/v1/integrations/destinations';

type Service = Awaited<ReturnType<typeof openIntegrations>>;

async function notify({ send }: Service, body: object, status = 'delivered') {
  const made = await send('POST', DESTINATIONS, { events: ['recap.call.completed'], ...body });
  expect(made.status, JSON.stringify(made.json)).toBe(201);
  const { json } = await send('POST', `${DESTINATIONS}/${made.json.id}/test`, {
    event: 'recap.call.completed',
  });
  const find = async () =>
    (await send('GET', '/v1/webhooks/deliveries')).json.data.find(
      (one: { event_id: string }) => one.event_id === json.event_id,
    );
  await until(async () => (await find())?.attempts > 0);
  const delivery = await find();
  expect(delivery, JSON.stringify(delivery)).toMatchObject({ status });
  return { destination: made.json, delivery, event: json.event_id as string };
}

it('writes a message for a Slack-compatible webhook, in which nobody can put a link', async () => {
  const service = await openIntegrations();
  await notify(service, { kind: 'slack', url: service.hook });
  const [plain] = service.receiver.received;
  expect(JSON.parse(plain!.body)).toEqual({
    text: '*recap.call.completed*\nThe boiler is broken. A plumber comes tomorrow.\n`rcp_4fT9bQw2LmXc7RzK1hVd`',
  });
  await notify(service, {
    kind: 'slack',
    url: service.hook,
    settings: { text: '<!here> {{ data.outcome }} of {{data.external_id}} {{data.nothing}}' },
  });
  expect(JSON.parse(service.receiver.received[1]!.body)).toEqual({
    text: '<!here> follow_up of customer-17 ',
  });
});

it('ends a text that repeats a long field, and sends no record to a part of its address', async () => {
  const event = { data: { words: 'w'.repeat(500_000) } };
  const template = '{{data.words}}'.repeat(2_000);
  expect(fill(template, event, (text) => text, 1_000)).toBe('w'.repeat(1_000));
  const service = await openIntegrations();
  const { delivery } = await notify(
    service,
    {
      kind: 'crm',
      url: `${service.hook}/contacts?of=${'{{data}}'.repeat(200)}`,
      settings: { mapping: { outcome: 'data.outcome' } },
    },
    'dead',
  );
  expect(delivery.error).toContain('more than 64000 characters');
  expect(service.receiver.received).toEqual([]);
});

it('puts a record into a CRM by its mapping, under the key that the event names', async () => {
  const service = await openIntegrations();
  const { destination, event } = await notify(service, {
    kind: 'crm',
    url: `${service.hook}/contacts/{{data.external_id}}?idProperty=ref`,
    settings: {
      method: 'PATCH',
      key: 'data.external_id',
      mapping: {
        summary__c: 'data.summary',
        device: 'data.crm_fields.device.value',
        city: 'data.crm_fields.city.value',
      },
      headers: { authorization: 'Bearer secret-of-the-crm' },
    },
  });
  const [request] = service.receiver.received;
  expect(request).toMatchObject({
    path: '/contacts/customer-17?idProperty=ref',
    headers: { authorization: 'Bearer secret-of-the-crm', 'idempotency-key': event },
  });
  expect(JSON.parse(request!.body)).toEqual({
    summary__c: 'The boiler is broken. A plumber comes tomorrow.',
    device: 'boiler',
  });
  expect(JSON.stringify(destination)).not.toContain('secret-of-the-crm');
  expect(destination.settings.headers).toEqual({ authorization: '[secret]' });
});

it('leaves out an event that names no record of the CRM, and takes no host from an event', async () => {
  const service = await openIntegrations();
  const settings = { key: 'data.crm_fields.email.value', mapping: { a: 'data.summary' } };
  const { delivery } = await notify(service, { kind: 'crm', url: service.hook, settings }, 'dead');
  expect(delivery.error).toContain('data.crm_fields.email.value');
  expect(service.receiver.received).toEqual([]);
  for (const [param, url, more] of [
    ['url', 'https://{{data.external_id}}.example.com/', {}],
    ['settings.headers', service.hook, { headers: { Host: 'internal' } }],
    ['settings.mapping.a', service.hook, { mapping: { a: 'data[0]' } }],
  ] as const)
    expect(
      await service.send('POST', DESTINATIONS, {
        kind: 'crm',
        url,
        events: ['recap.complete'],
        settings: { mapping: { a: 'data.summary' }, ...more },
      }),
    ).toMatchObject({ status: 400, json: { error: { param } } });
});

async function openS3() {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-s3-'));
  const program = join(import.meta.dirname, '../../../node_modules/s3rver/bin/s3rver.js');
  const args = [
    '--directory',
    folder,
    '--address',
    '127.0.0.1',
    '--port',
    '0',
    '--configure-bucket',
    'records',
  ];
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /listening on .*:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return { folder, url: `http://127.0.0.1:${port}/` };
  }
  throw new Error('s3rver ended before it listened');
}

it('writes each event once into a bucket, signed as S3 wants it', async () => {
  // The store rejects a signature whose time differs from its own.
  const service = await openIntegrations({ at: Date.now() });
  const { folder, url } = await openS3();
  const keys = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' };
  const bucket = { bucket: 'records', prefix: 'calls/' };
  const { destination, event } = await notify(service, { kind: 's3', url, settings: { ...bucket, ...keys } });
  const day = join(
    folder,
    'records/calls/recap.call.completed',
    new Date(service.clock.now()).toISOString().slice(0, 10),
  );
  const [object] = readdirSync(day).filter((name) => name.startsWith(event) && name.endsWith('_object'));
  expect(JSON.parse(readFileSync(join(day, String(object)), 'utf8'))).toMatchObject({
    id: event,
    data: EVENTS['recap.call.completed'].sample,
  });
  expect(destination).toMatchObject({
    url: `${url}records/`,
    settings: { access_key_id: 'S3RVER', secret_access_key: '[secret]' },
  });
  const elsewhere = { ...keys, bucket: 'nowhere' };
  const { delivery } = await notify(service, { kind: 's3', url, settings: elsewhere }, 'pending');
  expect(delivery).toMatchObject({ response_status: 404 });
});

it('signs the maker’s own example of a PUT as the maker does', () => {
  const { authorization } = signS3(
    {
      url: new URL('https://examplebucket.s3.amazonaws.com/test%24file.text'),
      method: 'PUT',
      body: 'Welcome to Amazon S3.',
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    },
    {
      region: 'us-east-1',
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    },
    Date.parse('2013-05-24T00:00:00Z'),
  );
  expect(authorization).toContain(
    'SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
  );
  expect(authorization).toMatch(/98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd$/);
});
