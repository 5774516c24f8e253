// @requirement Test kit: One command turns a recorded call into a test.

import { expect, it } from 'vitest';
import { CallStore } from '../../../src/conversation/calls/call-store.ts';
import { transcriptSweep } from '../../../src/conversation/calls/retention.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { RetentionPolicies } from '../../../src/foundation/access/retention-policies.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ENDED } from '../../edge/surfaces/omni/records.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

const placeOf = (orgId: string) => tenantScopeOf({ ...new OneKeyAccess().principal(), orgId });

const TOOL = { turn_id: 1, name: 'book', arguments: {}, at_ms: 1, took_ms: 1, result: 'Ann' };

const DAY_MS = 24 * 3600 * 1000;

onBothDatabases('what was said in calls', ({ open }) => {
  async function setup() {
    const storage = await open();
    const clock = new ManualClock(Date.now());
    const blobs = blobsIn(storage, clock);
    const calls = new CallStore({
      storage,
      blobs,
      billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
      clock,
      background: new BackgroundTasks({ clock }),
    });
    const retention = new RetentionPolicies(storage, clock);
    const sweep = transcriptSweep({
      storage,
      blobs,
      clock,
      background: new BackgroundTasks({ clock }),
      retention: (org) => retention.of(org),
    });
    const start = async (orgId: string) => {
      const id = newId('ocl');
      const principal = { ...new OneKeyAccess().principal(), orgId };
      await calls.open({
        id,
        principal,
        sessionLabel: null,
        externalId: 'ext',
        language: 'en',
        voiceId: 'af_heart',
        voiceTier: 'natural',
        meta: null,
      });
      return id;
    };
    const end = async (orgId: string) => {
      const id = await start(orgId);
      await calls.close(id, { ...ENDED, tools: [TOOL] });
      return id;
    };
    const organization = async (id: string, transcript: number) => {
      await storage.db
        .insertInto('organizations')
        .values({
          id,
          name: id,
          kind: 'account',
          plan: 'standard',
          trace_entitled: 0,
          referral: null,
          created_at: clock.now(),
        })
        .execute();
      await retention.change(id, { transcript });
    };
    const afterDays = async (days: number) => {
      clock.advance(days * DAY_MS);
      await sweep.sweep();
    };
    const stored = async (orgId: string, id: string) => {
      const row = await calls.find(placeOf(orgId), id);
      return row === null ? 'gone' : row.transcript !== null && row.transcript_removed_at === null;
    };
    return { storage, clock, calls, start, end, organization, afterDays, stored };
  }

  it('is forgotten when each organization’s time is over; the rest of the record and the bill stay', async () => {
    const { storage, calls, end, organization, afterDays, stored } = await setup();
    await organization('org_short', 2);
    const usual = await end('org_usual');
    const short = await end('org_short');
    await afterDays(1.9);
    expect(JSON.parse((await calls.find(placeOf('org_short'), short))?.tools ?? '')).toEqual([TOOL]);
    expect([await stored('org_usual', usual), await stored('org_short', short)]).toEqual([true, true]);
    await afterDays(0.2);
    expect([await stored('org_usual', usual), await stored('org_short', short)]).toEqual([true, false]);
    expect(await calls.find(placeOf('org_short'), short)).toMatchObject({
      said: null,
      status: 'completed',
      external_id: 'ext',
    });
    await afterDays(362.8);
    expect(await stored('org_usual', usual)).toBe(true);
    await afterDays(0.2);
    expect(await stored('org_usual', usual)).toBe(false);
    expect(await storage.db.selectFrom('usage_events').selectAll().execute()).toHaveLength(2);
  });

  it('stays while the call goes on, however long', async () => {
    const { storage, start, afterDays } = await setup();
    const id = await start('org_usual');
    await afterDays(400);
    const row = await acrossTenants(storage.db)
      .selectFrom('omni_calls')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    expect(row).toMatchObject({ status: 'live', transcript_removed_at: null });
  });

  it('of many calls is forgotten whole, and again nothing is done', async () => {
    const { storage, end, afterDays } = await setup();
    const id = await end('org_usual');
    const row = await acrossTenants(storage.db)
      .selectFrom('omni_calls')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const more = Array.from({ length: 450 }, () => ({ ...row, id: newId('ocl') }));
    await acrossTenants(storage.db).insertInto('omni_calls').values(more).execute();
    await afterDays(366);
    const removed = () =>
      acrossTenants(storage.db).selectFrom('omni_calls').select('transcript_removed_at').distinct().execute();
    const first = await removed();
    expect(first).toHaveLength(1);
    await afterDays(1);
    expect(await removed()).toEqual(first);
  });
});
