// @requirement Imported calls: Ten thousand deliveries of a day are processed once.
/** A call is imported once, in any order of its events, from any sender that has the token. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_RETENTION, tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { openStorage, withinTenant } from '../../../src/foundation/storage/index.ts';
import { importedCallsPersonalData, importSweep } from '../../../src/products/imports/index.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { until } from '../../poll.ts';
import { openIntegrations } from './services.ts';

type Service = Awaited<ReturnType<typeof openIntegrations>>;
type Provider = 'generic' | 'aircall';

const CALL = {
  id: 'call-17',
  started_at: '2026-11-22T11:50:00Z',
  ended_at: '2026-11-22T11:58:00Z',
  direction: 'inbound',
  from: '+1 (500) 555-0001',
  to: '+15005550006',
};
const RECORDING = { id: 'call-17', recording_url: 'https://example.com/call-17.mp3' };

async function open(service: Service, provider: Provider = 'generic') {
  const { json } = await service.send('POST', `/v1/integrations/calls/${provider}/token`);
  const path = `/public/integrations/calls/${provider}/events`;
  expect(json.url).toBe(`https://voice.example.com${path}`);
  const token = String(json.token);
  const reported = async (event: string, data: object, more: object = {}) => {
    const timestamp = Math.floor(service.clock.now() / 1000);
    const { status, json: answer } = await service.send('POST', path, {
      event,
      timestamp,
      token,
      data,
      ...more,
    });
    return [status, answer.error?.code ?? answer.status, answer.error?.param ?? null];
  };
  const calls = async () => (await service.send('GET', '/v1/integrations/calls')).json.data;
  const working = () => {
    service.imports.importing.start();
    onTestFinished(() => service.imports.importing.stop(0));
  };
  return { token, reported, calls, working };
}

/** The token route requires an entitlement that the one key lacks. */
const openEntitled = async (given: Parameters<typeof openIntegrations>[0] = {}) =>
  await openIntegrations({ ...given, entitled: true });

onBothDatabases('a call of another provider', (databases) => {
  // @requirement Imported calls: A provider's event is accepted or coalesced; a wrong token or a stale event answers 401.
  it('is imported once its recording is there, whichever event comes first', async () => {
    for (const order of [
      ['call.ended', 'call.comm_assets_generated'],
      ['call.comm_assets_generated', 'call.ended'],
    ]) {
      const service = await openEntitled({ storage: await databases.open() });
      const { reported, calls, working } = await open(service);
      for (const event of order) {
        const data = event === 'call.ended' ? CALL : RECORDING;
        expect(await reported(event, data)).toEqual([202, 'accepted', null]);
        expect(await reported(event, data)).toEqual([202, 'coalesced', null]);
      }
      working();
      await until(async () => (await calls())[0].status === 'submitted');
      const [call, ...more] = await calls();
      expect(more).toEqual([]);
      expect(call).toMatchObject({ provider_call_id: 'call-17', from: '+15005550001', direction: 'inbound' });
      const job = await withinTenant(service.storage.db, tenantScopeOf(service.access.principal()))
        .selectFrom('transcription_jobs')
        .selectAll()
        .executeTakeFirstOrThrow();
      expect(job).toMatchObject({
        id: call.job_id,
        audio_url: RECORDING.recording_url,
        external_id: '+15005550001',
        status: 'queued',
      });
    }
  });

  it('waits ten minutes for the rest of itself, and no longer', async () => {
    const service = await openEntitled({ storage: await databases.open() });
    const { reported, calls, working } = await open(service);
    await reported('call.comm_assets_generated', RECORDING);
    working();
    expect((await calls())[0].status).toBe('queued');
    service.clock.advance(600_000);
    // The worker may have begun to wait for its next poll only after that.
    await until(async () => {
      service.clock.advance(1000);
      return (await calls())[0].status === 'submitted';
    });
  });

  it('is imported once of many deliveries, shuffled and doubled', async () => {
    await replayed(await openEntitled({ storage: await databases.open() }), 100);
  });

  it('is forgotten with the person, and with age', async () => {
    const service = await openEntitled({ storage: await databases.open() });
    const { reported, calls } = await open(service);
    const scope = tenantScopeOf(service.access.principal());
    const personalData = importedCallsPersonalData(service.storage);
    await reported('call.ended', CALL);
    expect(await personalData.dataSubjectsOf(scope)).toEqual(['+15005550001']);
    const person = { externalId: '+15005550001', until: service.clock.now() };
    const none = { among: async () => new Set<string>() };
    expect((await personalData.erase(scope, person, none)).counts).toEqual({ imported_calls: 1 });
    await reported('call.ended', CALL);
    const sweep = importSweep({
      storage: service.storage,
      clock: service.clock,
      background: new BackgroundTasks({ clock: service.clock }),
      retention: async () => ({ ...DEFAULT_RETENTION, transcript: 1 }),
    });
    await sweep.sweep();
    expect((await calls()).length).toBe(1);
    service.clock.advance(24 * 3600 * 1000 + 1);
    await sweep.sweep();
    expect(await calls()).toEqual([]);
  });
});

async function replayed(service: Service, count: number): Promise<void> {
  const { token } = await open(service);
  const timestamp = service.clock.now() / 1000;
  const day = Array.from({ length: count }, (_, n) => [
    { event: 'call.ended' as const, timestamp, token, data: { ...CALL, id: `call-${n}` } },
    {
      event: 'call.comm_assets_generated' as const,
      timestamp,
      token,
      data: { id: `call-${n}`, recording_url: `https://example.com/${n}.mp3` },
    },
  ]).flat();
  const answers = { accepted: 0, coalesced: 0 };
  const next = shuffled([...day, ...day]).values();
  const hand = async () => {
    for (const delivery of next) answers[await service.imports.receiver.take('generic', delivery)] += 1;
  };
  await Promise.all(Array.from({ length: 8 }, hand));
  expect(answers).toEqual({ accepted: 2 * count, coalesced: 2 * count });
  const scope = tenantScopeOf(service.access.principal());
  const rows = await withinTenant(service.storage.db, scope)
    .selectFrom('imported_calls')
    .select('state')
    .execute();
  expect(rows).toEqual(Array.from({ length: count }, () => ({ state: 'queued' })));
  const queued = await service.storage.db
    .selectFrom('jobs')
    .select('id')
    .where('queue', '=', 'calls.import')
    .execute();
  expect(queued.length).toBe(count);
}

it('imports each call once of ten thousand deliveries of a day', async () => {
  // The database is in memory where such a folder exists: the test is about order, not the disk.
  const folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const dataDir = mkdtempSync(join(folder, 'trunkline-replay-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const storage = await openStorage({ dataDir });
  await replayed(await openEntitled({ storage }), 2_500);
  await storage.close();
}, 120_000);

function shuffled<T>(items: T[]): T[] {
  let seed = 17;
  for (let at = items.length - 1; at > 0; at -= 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    const other = seed % (at + 1);
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
  return items;
}

// @requirement Imported calls: Aircall's events are read.
it('reads Aircall’s own shape', async () => {
  const service = await openEntitled();
  const { reported, calls } = await open(service, 'aircall');
  const aircall = {
    id: 812_345_678,
    direct_link: 'https://api.aircall.io/v1/calls/812345678',
    direction: 'outbound',
    status: 'done',
    started_at: 1_795_347_000,
    ended_at: 1_795_347_480,
    raw_digits: '+1 500-555-0001',
    recording: null,
    number: { id: 7, digits: '+1 500-555-0006', country: 'US' },
  };
  expect(await reported('call.ended', aircall, { resource: 'call' })).toEqual([202, 'accepted', null]);
  const recording = 'https://assets.aircall.io/calls/812345678/recording';
  expect(
    await reported('call.comm_assets_generated', { ...aircall, recording }, { resource: 'call' }),
  ).toEqual([202, 'accepted', null]);
  expect((await calls())[0]).toMatchObject({
    provider: 'aircall',
    provider_call_id: '812345678',
    direction: 'outbound',
    from: '+15005550006',
    to: '+15005550001',
    started_at: 1_795_347_000_000,
    status: 'queued',
  });
});

it('refuses a wrong token, one of another provider, one that was replaced, and an event of another time', async () => {
  const service = await openEntitled();
  const { reported, token } = await open(service);
  const aircall = await open(service, 'aircall');
  for (const wrong of ['cit_nonsense', aircall.token, `${token}x`])
    expect(await reported('call.ended', CALL, { token: wrong })).toEqual([401, 'invalid_api_key', null]);
  const now = service.clock.now() / 1000;
  for (const timestamp of [now - 301, now + 301, 0, (now - 301) * 1000])
    expect(await reported('call.ended', CALL, { timestamp })).toEqual([401, 'unauthorized', null]);
  for (const timestamp of [now - 299, now * 1000])
    expect((await reported('call.ended', CALL, { timestamp }))[0]).toBe(202);
  await service.send('POST', '/v1/integrations/calls/generic/token');
  expect(await reported('call.ended', CALL)).toEqual([401, 'invalid_api_key', null]);
});

it('refuses what is no call, and names the field', async () => {
  const { reported } = await open(await openEntitled());
  for (const [param, data] of [
    ['data.id', {}],
    ['data.id', { id: { $ne: null } }],
    ['data.id', { id: 'x'.repeat(201) }],
    ['data.direction', { ...CALL, direction: 'sideways' }],
    ['data.started_at', { ...CALL, started_at: 'yesterday' }],
    ['data.recording_url', { ...CALL, recording_url: 'not a url' }],
    ['data.recording_url', { ...CALL, recording_url: ['https://example.com/'] }],
  ] as const)
    expect(await reported('call.ended', data), param).toEqual([400, 'invalid_request', param]);
  expect(await reported('call.started', CALL)).toEqual([400, 'invalid_request', 'event']);
});

it('fails a call whose recording lies where nobody may fetch, or whose key is dead, and says why', async () => {
  const service = await openEntitled();
  const { reported, calls, working } = await open(service);
  await reported('call.ended', { ...CALL, id: 'inside', recording_url: 'https://10.0.0.1/secret.mp3' });
  working();
  await until(async () => (await calls())[0].status === 'failed');
  expect((await calls())[0].error).toMatch(/^The recording’s URL: /);
  service.imports.payer.principal = null;
  expect(await reported('call.ended', CALL)).toEqual([401, 'unauthorized', null]);
});

// @requirement Imported calls: Imports need an entitlement.
it('is for those who are entitled alone', async () => {
  const service = await openIntegrations();
  expect(await service.send('POST', '/v1/integrations/calls/generic/token')).toMatchObject({
    status: 403,
    json: { error: { code: 'call_integrations_not_entitled' } },
  });
  expect((await service.send('POST', '/v1/integrations/calls/nobody/token')).status).toBe(404);
  const entitled = await openEntitled();
  const { reported } = await open(entitled);
  entitled.imports.payer.principal = { ...entitled.access.principal(), entitlements: [] };
  expect(await reported('call.ended', CALL)).toEqual([403, 'call_integrations_not_entitled', null]);
});
