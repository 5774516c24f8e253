import { expect, it } from 'vitest';
import {
  CallReader,
  type CallRecordFilter,
  CallStore,
  callIdOf,
  markTestCalls,
} from '../../../src/conversation/calls/index.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { AmdCallStore } from '../../../src/products/amd/index.ts';
import { DEFAULTS } from '../../../src/speech/amd/index.ts';
import { TelephonyCallStore } from '../../../src/telephony/dialling/index.ts';
import { MsgappCallStore } from '../../../src/telephony/msgapp/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ENDED } from '../../edge/surfaces/omni/records.ts';
import { lostCallsOf, moveToLostNode } from '../../foundation/nodes/lost-node.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { type Databases, onBothDatabases } from '../../foundation/storage/databases.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

const NOW = 1_700_000_000_000;
const VERDICT = { answeredBy: 'human', reason: 'greeting', confidence: 0.9, atMs: 800, because: [] } as const;
const FINISHED = {
  ending: { reason: 'completed', detail: null },
  talkedMs: 61_000,
  quality: {},
  hold: null,
} as const;

async function open(databases: Databases) {
  const clock = new ManualClock(NOW);
  const storage = await databases.open();
  const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
  const webhooks = { publish: async () => null };
  const sessions = new CallStore({
    storage,
    blobs: blobsIn(storage, clock),
    billing,
    clock,
    background: new BackgroundTasks({ clock }),
  });
  const phones = new TelephonyCallStore({ storage, clock, billing, webhooks });
  const apps = new MsgappCallStore(storage, clock, webhooks);
  const detections = new AmdCallStore({ storage, billing, webhooks, clock });
  const principal = new OneKeyAccess().principal();
  const scope = tenantScopeOf(principal);
  const reader = new CallReader(storage, billing.costs);

  const session = async (partOf?: string, id = partOf ?? newId('ocl')) => {
    const part = partOf === undefined ? {} : { partOf };
    const start = { id, ...part, principal, sessionLabel: 'shop', externalId: 'ana', meta: null };
    await sessions.open({ ...start, language: 'en', voiceId: 'v', voiceTier: 'standard' });
    return id;
  };
  const leg = async (also: { call_id?: string; to_number?: string } = {}) => {
    const row = await storage.transaction((trx) =>
      phones.create(trx, scope, {
        id: newId('tcl'),
        key_id: null,
        carrier: 'loopback',
        direction: 'outbound',
        from_number: '+14155550100',
        to_number: '+15005550001',
        number_id: null,
        agent_id: null,
        campaign_id: null,
        state: 'queued',
        request: '{}',
        scheduled_at: null,
        ...also,
      }),
    );
    return row.id;
  };
  const claim = (id: string) => storage.transaction((trx) => phones.claim(trx, scope, id));
  const detected = async (partOf: string | null) => {
    const id = newId('amd');
    await detections.decided({
      ...{
        id,
        partOf,
        principal,
        streamSid: null,
        callSid: null,
        called: null,
        externalId: null,
        hold: null,
      },
      ...{
        tunables: DEFAULTS,
        verdict: VERDICT,
        evidence: [],
        transcript: null,
        heardMs: 900,
        webhookUrl: null,
      },
      bundled: partOf !== null,
    });
    return id;
  };
  const found = async (id: string) => (await reader.find(scope, id))!;
  const listed = async (filter: CallRecordFilter) =>
    (await reader.list(scope, filter, null)).map(({ call }) => call.id);
  return {
    ...{ clock, storage, sessions, phones, apps, detections, scope, reader },
    ...{ session, leg, claim, detected, found, listed },
  };
}

onBothDatabases('a call', (databases) => {
  it('of one session is live from its first moment, and ends with it', async () => {
    const { session, sessions, found, clock, storage } = await open(databases);
    await storage.db
      .insertInto('nodes')
      .values({ id: storage.nodeId, started_at: NOW, seen_at: NOW, fence: 3, is_lost: 0 })
      .execute();
    const id = await session();
    expect(await found(id)).toMatchObject({
      call: { id, kind: 'browser', state: 'answered', created_at: NOW, ended_at: null },
      sessions: [{ id, status: 'live' }],
      owner: { id: storage.nodeId },
    });
    clock.advance(61_250);
    await sessions.close(id, ENDED);
    const over = await found(id);
    expect(over).toMatchObject({
      call: { state: 'ended', end_reason: 'client_ended' },
      sessions: [{ status: 'completed' }],
      owner: null,
    });
    expect([over.call.created_at, over.call.ended_at].map(Number)).toEqual([NOW, NOW + 61_250]);
    expect(over.cost.micros).toBeGreaterThan(0);
    expect(Object.keys(over.cost.meters)).toEqual(['omni']);
  });

  it('of the telephone has its legs, sessions and detections, ends with the last of them and costs all of it', async () => {
    const { session, sessions, phones, leg, claim, detected, found, scope, clock } = await open(databases);
    const first = await leg();
    const id = callIdOf(first);
    expect(await found(first)).toMatchObject({
      call: { id, kind: 'telephony', state: 'queued', node_id: null },
    });
    await claim(first);
    await phones.ringing(scope, first);
    expect((await found(id)).call.state).toBe('ringing');
    clock.advance(1_000);
    await phones.answered(scope, first);
    await session(id);
    const heard = await detected(id);
    const second = await leg({ call_id: id, to_number: '+15005550009' });
    await phones.end(scope, first, FINISHED);
    await sessions.close(id, ENDED);
    expect((await found(id)).call).toMatchObject({ state: 'answered', ended_at: null });
    await phones.end(scope, second, { ...FINISHED, ending: { reason: 'busy', detail: null }, talkedMs: 0 });
    const over = await found(heard);
    expect(over).toMatchObject({
      call: { id, state: 'ended', end_reason: 'completed' },
      legs: [
        { id: first, end_reason: 'completed' },
        { id: second, end_reason: 'busy' },
      ],
      sessions: [{ id }],
      detections: [{ id: heard, answered_by: 'human' }],
    });
    expect(Number(over.call.answered_at)).toBe(NOW + 1_000);
    expect(Object.keys(over.cost.meters).sort()).toEqual(['omni', 'telephony']);
    expect(over.cost.micros).toBe(Object.values(over.cost.meters).reduce((sum, one) => sum + one, 0));
  });

  it('by a messaging app, and one that is only heard, are calls as well', async () => {
    const { apps, session, sessions, detections, detected, found, scope } = await open(databases);
    const parties = { from_number: '+15005550001', to_number: '+15005550006', agent_id: null };
    const call = { number_id: 'wan_1', provider_call_id: '1', direction: 'inbound', ...parties } as const;
    const app = (await apps.begin(scope, call)) as string;
    expect(await found(app)).toMatchObject({ call: { kind: 'msgapp', state: 'ringing' } });
    await session(callIdOf(app));
    await apps.answered(scope, app, callIdOf(app));
    await sessions.close(callIdOf(app), ENDED);
    expect((await found(app)).call.state).toBe('answered');
    await apps.end(scope, app, 'completed', null);
    expect(await found(app)).toMatchObject({
      call: { state: 'ended', end_reason: 'completed' },
      legs: [{ id: app, carrier: 'msgapp', state: 'ended' }],
      sessions: [{ id: callIdOf(app) }],
    });
    const heard = await detected(null);
    expect((await found(heard)).call).toMatchObject({ kind: 'amd', state: 'answered' });
    const rest = {
      messageEnd: null,
      updates: [],
      evidence: [],
      transcript: null,
      fingerprint: null,
      heardMs: 1,
    };
    await detections.ended(scope, heard, rest, null);
    expect((await found(heard)).call).toMatchObject({ kind: 'amd', state: 'ended', end_reason: 'completed' });
  });

  it('is lost whole with its node, taken back whole, and ends by itself though it was taken for lost', async () => {
    const { session, sessions, phones, leg, claim, found, scope, clock, storage } = await open(databases);
    const first = await leg();
    const id = callIdOf(first);
    await claim(first);
    await phones.answered(scope, first);
    await session(id);
    await moveToLostNode('telephony_calls', first, storage, clock);
    const live = {
      live: () => [id],
      endLost: phones.endLost.bind(phones),
      reclaim: phones.reclaim.bind(phones),
    };
    const sweep = lostCallsOf(storage, clock, live, sessions);
    expect(await sweep.endLost()).toBe(1);
    expect(await found(id)).toMatchObject({
      call: { state: 'ended', end_reason: 'lost' },
      legs: [{ state: 'ended', end_reason: 'failed' }],
      sessions: [{ status: 'failed' }],
      cost: { micros: 0 },
    });
    await sweep.takeBack();
    expect(await found(id)).toMatchObject({
      call: { state: 'answered', end_reason: null, ended_at: null },
      legs: [{ state: 'answered', end_reason: null }],
      sessions: [{ status: 'live' }],
    });
    await sweep.endLost();
    await phones.end(scope, first, FINISHED);
    expect((await found(id)).call).toMatchObject({ state: 'ended', end_reason: 'lost' });
    await sessions.close(id, ENDED);
    const over = await found(id);
    expect(over.call).toMatchObject({ state: 'ended', end_reason: 'completed', lost_at: null });
    expect(Object.keys(over.cost.meters).sort()).toEqual(['omni', 'telephony']);
  });

  it('is listed by what it is, and is nobody else’s', async () => {
    const { session, sessions, leg, listed, reader, scope, clock } = await open(databases);
    const talk = await session();
    clock.advance(1);
    const phone = callIdOf(await leg());
    clock.advance(1);
    const other = callIdOf(await leg({ to_number: '+15005550002' }));
    await sessions.close(talk, ENDED);
    expect(await listed({})).toEqual([other, phone, talk]);
    expect(await listed({ kind: 'browser' })).toEqual([talk]);
    expect(await listed({ state: 'queued' })).toEqual([other, phone]);
    expect(await listed({ direction: 'inbound' })).toEqual([talk]);
    expect(await listed({ phone_number: '+15005550002' })).toEqual([other]);
    expect(await listed({ phone_number: '+14155550100' })).toEqual([other, phone]);
    expect(await listed({ external_id: 'ana', session_label: 'shop' })).toEqual([talk]);
    expect(await listed({ external_id: 'ben' })).toEqual([]);
    expect(await listed({ agent_id: 'agt_00000000000000000000' })).toEqual([]);
    expect(await listed({ from: NOW + 1, to: NOW + 1 })).toEqual([phone]);
    const page = await reader.list(scope, { limit: 1 }, { createdAt: NOW + 2, id: other });
    expect(page.map(({ call }) => call.id)).toEqual([phone, talk]);
    const theirs = { ...scope, org: 'org_other' };
    expect(await reader.find(theirs, talk)).toBeNull();
    expect(await reader.list(theirs, {}, null)).toEqual([]);
  });

  it('is a test once a suite was recorded that played in it, unless a carrier brought it', async () => {
    const { session, leg, found, scope, storage } = await open(databases);
    const [played, other] = [await session(), await session()];
    const phone = callIdOf(await leg());
    await session(phone);
    await storage.transaction((trx) => markTestCalls(trx, scope, [played, phone]));
    const kinds = await Promise.all([played, other, phone].map(async (id) => (await found(id)).call.kind));
    expect(kinds).toEqual(['test', 'browser', 'telephony']);
  });

  it('is gone once the last of it was deleted', async () => {
    const { session, sessions, leg, claim, phones, found, scope, storage } = await open(databases);
    const talk = await session();
    await sessions.close(talk, ENDED);
    expect(await sessions.delete(scope, talk)).toBe(true);
    const planned = await leg();
    await storage.transaction((trx) => phones.withdraw(trx, scope, planned, 'quiet_hours'));
    const retained = await leg();
    await claim(retained);
    const calls = await acrossTenants(storage.db).selectFrom('calls').select('id').execute();
    expect(calls).toEqual([{ id: callIdOf(retained) }]);
    expect((await found(retained)).legs).toHaveLength(1);
  });
});
