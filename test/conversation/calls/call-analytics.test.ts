/** These tests count calls as the stores of legs and sessions write them. */

import { expect, it } from 'vitest';
import { CallAnalytics, CallReader, CallStore } from '../../../src/conversation/calls/index.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import { TelephonyCallStore } from '../../../src/telephony/dialling/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ENDED } from '../../edge/surfaces/omni/records.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { type Databases, onBothDatabases } from '../../foundation/storage/databases.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

const NOW = 1_700_000_000_000;
const DAY_MS = 86_400_000;
const CAMPAIGN = 'tcm_00000000000000000001';
/** The words are those of the interruption marker: the same words of a caller are not counted as one. */
const INTERRUPTED = {
  ...ENDED,
  transcript: [
    { role: 'agent', turn_id: 1, text: '"interrupted":true', start_ms: 0, end_ms: 400, interrupted: true },
    { role: 'agent', turn_id: 2, text: 'Go on.', start_ms: 500, end_ms: 900, interrupted: true },
  ],
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
  const principal = new OneKeyAccess().principal();
  const scope = tenantScopeOf(principal);
  const talk = async (end: Parameters<CallStore['close']>[1], language = 'en') => {
    const id = newId('ocl');
    const start = { id, principal, sessionLabel: null, externalId: null, meta: null };
    await sessions.open({ ...start, language, voiceId: 'v', voiceTier: 'standard' });
    clock.advance(60_000);
    await sessions.close(id, { ...end, language });
  };
  const busy = async () => {
    const row = await storage.transaction((transaction) =>
      phones.create(transaction, scope, {
        ...{ id: newId('tcl'), key_id: null, carrier: 'loopback', direction: 'outbound' },
        ...{ from_number: '+14155550100', to_number: '+15005550001', number_id: null, agent_id: null },
        ...{ campaign_id: CAMPAIGN, state: 'queued', request: '{}', scheduled_at: null },
      }),
    );
    await storage.transaction((transaction) => phones.claim(transaction, scope, row.id));
    await phones.end(scope, row.id, {
      ...{ ending: { reason: 'busy', detail: null }, talkedMs: 0, quality: {}, hold: null },
    });
  };
  const analytics = new CallAnalytics(storage, new CallReader(storage, billing.costs));
  const range = { from: NOW, to: NOW + 2 * DAY_MS, intervalMs: DAY_MS, filter: {} } as const;
  return { clock, talk, busy, scope, analytics, range };
}

onBothDatabases('calls of a period', (databases) => {
  it('are counted in total, by day and by what they have in common', async () => {
    const { clock, talk, busy, scope, analytics, range } = await open(databases);
    await talk(ENDED);
    await talk(INTERRUPTED, 'es');
    await busy();
    clock.advance(DAY_MS);
    await talk({ ...ENDED, status: 'failed', endReason: 'internal_error', billedMs: 0 });
    clock.advance(5 * DAY_MS);
    await talk(ENDED);

    const { total, buckets, failures, groups, truncated } = await analytics.of(scope, {
      ...range,
      groupBy: 'language',
    });
    expect(total).toMatchObject({
      ...{ calls: 4, answered: 3, completed: 2, failed: 2, turns: 9, interruptions: 2 },
      ...{ duration_ms: 180_000, latency_ms: { p50: 700, p95: 900 } },
    });
    expect(total.cost_micros).toBeGreaterThan(0);
    expect(buckets).toMatchObject([
      { start: NOW, calls: 3, failed: 1 },
      { start: NOW + DAY_MS, calls: 1, failed: 1 },
    ]);
    expect(failures).toEqual(
      expect.arrayContaining([
        { reason: 'busy', calls: 1 },
        { reason: 'internal_error', calls: 1 },
      ]),
    );
    expect(groups.map(({ name, calls }) => [name, calls])).toEqual([
      ['en', 2],
      [null, 1],
      ['es', 1],
    ]);
    expect(groups.find(({ name }) => name === 'es')?.interruptions).toBe(2);
    expect(truncated).toBe(false);

    const byCampaign = await analytics.of(scope, { ...range, groupBy: 'campaign' });
    expect(byCampaign.groups.map(({ name, calls }) => [name, calls])).toEqual([
      [null, 3],
      [CAMPAIGN, 1],
    ]);
  });

  it('are those of the tenant alone, and none is no division by nothing', async () => {
    const { talk, analytics, scope, range } = await open(databases);
    await talk(ENDED);
    const other = { ...scope, orgId: 'org_other', projects: ['prj_other'], project: 'prj_other' };
    const { total, groups } = await analytics.of(other, { ...range, groupBy: 'agent' });
    expect(total).toMatchObject({ calls: 0, turns: 0, latency_ms: { p50: null, p95: null } });
    expect(groups).toEqual([]);
  });
});
