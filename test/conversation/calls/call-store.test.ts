import { afterEach, describe, expect, it } from 'vitest';
import { type CallSnapshot, CallStore } from '../../../src/conversation/calls/call-store.ts';
import { showCall } from '../../../src/edge/surfaces/omni/call-schemas.ts';
import type { Principal } from '../../../src/foundation/access/contract.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { NodeRegistry } from '../../../src/foundation/nodes/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import type { Clock } from '../../../src/foundation/platform/clock.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { acrossTenants, openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { ENDED } from '../../edge/surfaces/omni/records.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { lostCallsOf, moveToLostNode } from '../../foundation/nodes/lost-node.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

const LIMITS = {
  rps: 1,
  burst: 1,
  concurrency: 1,
  dailyCapUnits: null,
  quotaUnits: null,
  syncUpload: { bytes: 1, seconds: 1 },
  jobUpload: { bytes: 1, seconds: 1 },
  storageBytes: null,
  numbersMax: 5,
};

const principal = (orgId: string): Principal => ({
  kind: 'key',
  credentialId: 'key_1',
  orgId,
  projectId: 'proj_1',
  keyId: 'key_1',
  userId: null,
  person: null,
  environment: 'live',
  scopes: ['*'],
  plan: 'standard',
  limits: LIMITS,
  entitlements: [],
  expiresAt: null,
  browser: null,
});

const opened: Storage[] = [];
afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.close();
});

const clockOf = (time: { now: number }) => ({
  now: () => time.now,
  monotonic: () => time.now,
  after: () => () => undefined,
});

const nodesOf = (storage: Storage, time: { now: number }) =>
  [undefined, 'node_other'].map(
    (id) =>
      new NodeRegistry({
        storage,
        clock: clockOf(time),
        background: new BackgroundTasks({ clock: clockOf(time) }),
        ...(id && { id }),
      }),
  ) as [NodeRegistry, NodeRegistry];

async function open(manual?: Clock) {
  const storage = await openStorage({ dataDir: ':memory:' });
  opened.push(storage);
  const time = { now: 1_000_000 };
  const clock = manual ?? clockOf(time);
  const errors: unknown[] = [];
  const blobs = blobsIn(storage, clock);
  const calls = new CallStore({
    storage,
    blobs,
    billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
    clock,
    background: new BackgroundTasks({ clock }),
    onError: (error) => errors.push(error),
  });
  const start = (id: string, orgId = 'org_a', soFar?: () => CallSnapshot | null, also = {}) =>
    calls.open(
      {
        ...also,
        id,
        principal: principal(orgId),
        sessionLabel: 'label',
        externalId: 'ext',
        language: 'en',
        voiceId: 'af_heart',
        voiceTier: 'natural',
        meta: { external_id: 'ext' },
      },
      soFar,
    );
  const events = () => storage.db.selectFrom('usage_events').selectAll().execute();
  return { storage, calls, start, events, time, errors };
}

describe('the record of a call', () => {
  it('is written once and bills its milliseconds once, even if another node tries', async () => {
    const { calls, start, events } = await open();
    const id = newId('ocl');
    await start(id);
    expect(await calls.find(scopeFor('org_a'), id)).toBeNull();
    const written = await Promise.all([
      calls.close(id, ENDED),
      calls.close(id, { ...ENDED, status: 'failed' }),
    ]);
    expect(written.filter(Boolean)).toHaveLength(1);
    expect(await events()).toMatchObject([{ meter: 'omni', milliseconds: 61_250, resource: id }]);
  });

  it('was made when the call began, however it ends', async () => {
    const { calls, start, time } = await open();
    const [ends, lost] = [newId('ocl'), newId('ocl')];
    const began = time.now;
    await start(ends);
    await start(lost);
    calls.abandon(lost);
    time.now += 90_000;
    await calls.close(ends, ENDED);
    await calls.sweep();
    for (const id of [ends, lost]) expect((await calls.find(scopeFor('org_a'), id))?.created_at).toBe(began);
  });

  it('shows every field, and says that what was not asked for was not', async () => {
    const { calls, start } = await open();
    const id = newId('ocl');
    await start(id);
    await calls.close(id, ENDED);
    const row = await calls.find(scopeFor('org_a'), id);
    expect(row && showCall(row, null, () => '')).toMatchObject({
      object: 'omni.call',
      call_id: id,
      session_label: 'label',
      external_id: 'ext',
      status: 'completed',
      duration_s: 61.25,
      voice_tier: 'natural',
      has_recording: false,
      has_summary: false,
      started_at: 1_000_000,
      latency_ms: { p50: 700, p95: 900 },
      recording_result: { status: 'not_requested', reason: 'recording_not_requested' },
      transcript: { entries: ENDED.transcript },
    });
  });

  it('says from its first moment on that its voice gave way', async () => {
    const { calls, start, storage } = await open();
    const gave = { gave: newId('ocl'), kept: newId('ocl') };
    await start(gave.gave, 'org_a', undefined, { usesVoiceUnderLoad: true });
    await start(gave.kept, 'org_a', undefined, { usesVoiceUnderLoad: false });
    const rows = await acrossTenants(storage.db).selectFrom('omni_calls').selectAll().execute();
    const reported = rows.map((row) => [row.id, showCall(row, null, () => '')] as const);
    expect(Object.fromEntries(reported)).toMatchObject({
      [gave.gave]: { voice_gave_way: true, turns: [] },
      [gave.kept]: { voice_gave_way: false, turns: [] },
    });
    await calls.close(gave.gave, ENDED);
  });

  it('is nobody else’s', async () => {
    const { calls, start } = await open();
    const id = newId('ocl');
    await start(id);
    await calls.close(id, ENDED);
    expect(await calls.find(scopeFor('org_b'), id)).toBeNull();
    expect(await calls.delete(scopeFor('org_b'), id)).toBe(false);
    expect(await calls.list(scopeFor('org_b'), {}, null)).toEqual([]);
    expect(await calls.delete(scopeFor('org_a'), id)).toBe(true);
  });

  it('bills nothing for a call that failed or was empty', async () => {
    const { calls, start, events } = await open();
    const id = newId('ocl');
    await start(id);
    await calls.close(id, { ...ENDED, status: 'failed', billedMs: 0 });
    expect(await events()).toEqual([]);
    expect(await calls.find(scopeFor('org_a'), id)).toMatchObject({ status: 'failed', error: 'call_failed' });
  });

  it('keeps what was said until its node was lost, and bills nothing of it', async () => {
    const { calls, start, events, time, storage } = await open();
    const id = newId('ocl');
    await start(id, 'org_a', () => ({ ...ENDED, durationMs: 15_000 }));
    await calls.sweep();
    const other = new CallStore({
      storage,
      blobs: blobsIn(storage, clockOf(time)),
      billing: createBilling({
        storage,
        clock: clockOf(time),
        background: new BackgroundTasks({ clock: clockOf(time) }),
      }),
      clock: clockOf(time),
      background: new BackgroundTasks({ clock: clockOf(time) }),
    });
    const [node, another] = nodesOf(storage, time);
    node.add(lostCallsOf(storage, clockOf(time), calls));
    another.add(lostCallsOf(storage, clockOf(time), other));
    await node.sweep();
    time.now += 61_000;
    await another.sweep();
    const row = await other.find(scopeFor('org_a'), id);
    expect(row && showCall(row, null, () => '')).toMatchObject({
      status: 'failed',
      error: 'call_failed',
      duration_s: 15,
      transcript: { entries: ENDED.transcript },
    });
    expect(await events()).toEqual([]);
    await node.sweep();
    expect(await calls.find(scopeFor('org_a'), id)).toBeNull();
    expect(await calls.close(id, ENDED)).toBe(true);
    expect(await calls.find(scopeFor('org_a'), id)).toMatchObject({
      status: 'completed',
      error: null,
      lost_at: null,
      duration_ms: 61_250,
    });
    expect(await events()).toMatchObject([{ milliseconds: 61_250 }]);
  });

  it('is tried again when the database did not take it, and not given up as lost meanwhile', async () => {
    const clock = new ManualClock();
    const { calls, start, events, storage, errors } = await open(clock);
    const id = newId('ocl');
    await start(id);
    const transaction = storage.transaction;
    storage.transaction = async () => {
      throw new Error('the database is away');
    };
    const closed = calls.close(id, ENDED);
    for (let second = 0; second < 61; second += 1) {
      await new Promise(setImmediate);
      clock.advance(1_000);
    }
    await expect(calls.sweep()).rejects.toThrow('away');
    expect([calls.live(), errors.length]).toEqual([[id], 1]);
    const stopped = calls.stop();
    storage.transaction = transaction;
    clock.advance(2_000);
    expect(await closed).toBe(true);
    await stopped;
    expect(await calls.find(scopeFor('org_a'), id)).toMatchObject({
      status: 'completed',
      end_reason: 'client_ended',
    });
    expect([calls.live(), await events()]).toMatchObject([[], [{ resource: id }]]);
  });

  it('is written as failed when its node was lost, and not while the node lives', async () => {
    const { calls, start, time, storage } = await open();
    const retainedId = newId('ocl');
    const lost = newId('ocl');
    await start(retainedId);
    await start(lost);
    const [node] = nodesOf(storage, time);
    node.add(lostCallsOf(storage, clockOf(time), calls));
    await node.sweep();
    await moveToLostNode('omni_calls', lost, storage, clockOf(time));
    await node.sweep();
    expect(await calls.find(scopeFor('org_a'), lost)).toMatchObject({
      status: 'failed',
      end_reason: 'engine_failed',
    });
    expect(await calls.close(retainedId, ENDED)).toBe(true);
  });
});
