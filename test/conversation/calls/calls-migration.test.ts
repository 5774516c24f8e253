/** The release before had four tables of calls: after the migration each row belongs to one record. */

import { expect, it } from 'vitest';
import { CallReader, CallStore } from '../../../src/conversation/calls/index.ts';
import { tenantScopeOfRow } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { acrossTenants, openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { MIGRATIONS } from '../../../src/foundation/storage/migrations/index.ts';
import type { TenantTableName } from '../../../src/foundation/storage/tables/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { lostCallsOf } from '../../foundation/nodes/lost-node.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

const PLACE = { org_id: 'org_a', project_id: 'proj_a', environment: 'live' } as const;
const scope = tenantScopeOfRow(PLACE);
const NOW = 1_700_000_000_000;
const BEFORE = MIGRATIONS.filter(({ number }) => number < 300);

async function put(storage: Storage, table: TenantTableName, row: Record<string, unknown>) {
  const { call_id: _, ...seed } = SEEDS[table]('x', NOW) as Record<string, unknown>;
  const whole: Record<string, unknown> = { ...seed, ...PLACE, ...row };
  await acrossTenants(storage.db)
    .insertInto(table as 'omni_calls')
    .values(whole as never)
    .execute();
  return String(whole.id);
}

onBothDatabases('calls of the release before', ({ empty, after }) => {
  async function opened(fill: (storage: Storage) => Promise<void>) {
    const clock = new ManualClock(NOW);
    const { options } = await empty();
    const before = await openStorage({ ...options, migrations: BEFORE });
    await fill(before);
    await before.close();
    const storage = await openStorage({ ...options, clock });
    after(() => storage.close());
    const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
    const sessions = new CallStore({
      storage,
      blobs: blobsIn(storage, clock),
      billing,
      clock,
      background: new BackgroundTasks({ clock }),
    });
    return { storage, clock, reader: new CallReader(storage, billing.costs), sessions };
  }

  it('are one record each, with the legs, sessions and detections that they had', async () => {
    const talk = newId('ocl');
    const appTalk = newId('ocl');
    const alone = newId('ocl');
    const ids: Record<string, string> = {};
    const { reader } = await opened(async (storage) => {
      await put(storage, 'omni_calls', { id: alone, started_at: NOW - 9_000, duration_ms: 4_000 });
      await put(storage, 'omni_calls', { id: talk, started_at: NOW - 5_000, created_at: NOW - 5_000 });
      await put(storage, 'omni_calls', { id: appTalk });
      ids.phone = await put(storage, 'telephony_calls', { omni_call_id: talk, created_at: NOW - 6_000 });
      ids.planned = await put(storage, 'telephony_calls', {
        state: 'queued',
        dialed_at: null,
        answered_at: null,
        ended_at: null,
        end_reason: null,
      });
      ids.app = await put(storage, 'msgapp_calls', {
        omni_call_id: appTalk,
        state: 'ended',
        end_reason: 'completed',
      });
      ids.heard = await put(storage, 'amd_calls', { call_sid: ids.phone });
      ids.stream = await put(storage, 'amd_calls', { call_sid: 'CA1' });
    });
    const found = async (id: string) => (await reader.find(scope, id))!;
    expect(await found(alone)).toMatchObject({
      call: { id: alone, kind: 'browser', state: 'ended', end_reason: 'client_ended' },
      sessions: [{ id: alone }],
      legs: [],
    });
    expect(Number((await found(alone)).call.created_at)).toBe(NOW - 9_000);
    expect(Number((await found(alone)).call.ended_at)).toBe(NOW - 5_000);
    const phone = await found(ids.phone as string);
    expect(phone).toMatchObject({
      call: { id: talk, kind: 'telephony', direction: 'outbound', state: 'ended', end_reason: 'completed' },
      legs: [{ id: ids.phone, carrier: 'loopback' }],
      sessions: [{ id: talk }],
      detections: [{ id: ids.heard }],
    });
    expect(Number(phone.call.created_at)).toBe(NOW - 6_000);
    expect(await found(talk)).toEqual(phone);
    expect(await found(ids.heard as string)).toEqual(phone);
    expect(await found(ids.planned as string)).toMatchObject({ call: { state: 'queued', node_id: null } });
    expect(await found(ids.app as string)).toMatchObject({
      call: { id: appTalk, kind: 'msgapp' },
      legs: [{ id: ids.app, carrier: 'msgapp' }],
      sessions: [{ id: appTalk }],
    });
    expect(await found(ids.stream as string)).toMatchObject({
      call: { kind: 'amd', state: 'ended' },
      detections: [{ id: ids.stream }],
    });
    expect(await reader.list(scope, {}, null)).toHaveLength(5);
  });

  it('end as lost where the server that carried them is gone, and go on where it lives', async () => {
    const [lives, gone, unleased] = [newId('ocl'), newId('ocl'), newId('ocl')];
    const { storage, clock, reader, sessions } = await opened(async (before) => {
      const live = { status: 'live', end_reason: null };
      await put(before, 'omni_calls', { id: lives, ...live, node_id: 'node_lives' });
      await put(before, 'omni_calls', { id: gone, ...live, node_id: 'node_gone' });
      await put(before, 'omni_calls', { id: unleased, ...live, seen_at: NOW - 10_000 });
      await before.db
        .insertInto('nodes')
        .values({ id: 'node_lives', started_at: NOW, seen_at: NOW, fence: 1, is_lost: 0 })
        .execute();
    });
    const sweep = lostCallsOf(storage, clock, sessions);
    const state = async (id: string) => (await reader.find(scope, id))?.call.state;
    await sweep.endLost();
    expect([await state(lives), await state(gone), await state(unleased)]).toEqual([
      'answered',
      'ended',
      undefined,
    ]);
    expect(await reader.find(scope, gone)).toMatchObject({
      call: { end_reason: 'lost' },
      sessions: [{ status: 'failed', end_reason: 'engine_failed' }],
    });
    clock.advance(55_000);
    await sweep.endLost();
    expect([await state(lives), await state(unleased)]).toEqual(['answered', 'ended']);
  });

  it('are taken over as a server of that release writes them, while the servers are upgraded one by one', async () => {
    const { storage, clock, reader, sessions } = await opened(async () => {});
    const sweep = lostCallsOf(storage, clock, sessions);
    await storage.db
      .insertInto('nodes')
      .values({ id: 'node_old', started_at: NOW, seen_at: NOW, fence: 1, is_lost: 0 })
      .execute();
    const talk = newId('ocl');
    const id = await put(storage, 'telephony_calls', {
      ...{ state: 'answered', end_reason: null, ended_at: null, node_id: 'node_old', omni_call_id: talk },
    });
    await put(storage, 'omni_calls', { id: talk, status: 'live', end_reason: null, node_id: 'node_old' });
    await sweep.endLost();
    expect(await reader.find(scope, id)).toMatchObject({
      call: { state: 'answered', kind: 'telephony' },
      sessions: [{ id: talk }],
    });
    const over = acrossTenants(storage.db);
    await over
      .updateTable('telephony_calls')
      .set({ state: 'ended', end_reason: 'busy' })
      .where('id', '=', id)
      .execute();
    await over.updateTable('omni_calls').set({ status: 'completed' }).where('id', '=', talk).execute();
    await sweep.endLost();
    expect(await reader.find(scope, talk)).toMatchObject({ call: { state: 'ended', end_reason: 'busy' } });
  });
});
