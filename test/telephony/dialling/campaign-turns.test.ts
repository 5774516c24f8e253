// @requirement Campaigns: A campaign takes 100,000 rows, calling windows, pacing, retries and pause.
import { expect, it } from 'vitest';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import type { JobDefinition, JobQueue, RunningJob } from '../../../src/foundation/jobs/index.ts';
import { withinTenant } from '../../../src/foundation/storage/index.ts';
import type { TelephonyNumberRow } from '../../../src/foundation/storage/tables/telephony.ts';
import {
  type CampaignPlan,
  CampaignRunner,
  TelephonyCallStore,
} from '../../../src/telephony/dialling/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onSqlite } from '../../foundation/storage/databases.ts';

const principal = { ...new OneKeyAccess().principal(), entitlements: ['telephony'] as const };
const OURS = tenantScopeOf(principal);
const NOON = Date.parse('2026-03-10T12:00:00Z');
const TEN_MINUTES_MS = 600_000;
const HOURS = { from: '09:00', to: '20:00' };
const WIDE = { concurrent: 500, calls_per_minute: 6000 };
const [OPEN, CLOSED] = ['Europe/London', 'America/Los_Angeles'];

onSqlite('a turn of a campaign', ({ open }) => {
  /** Each target is in the zone that stands for it. */
  async function turn(
    windows: CampaignPlan['windows'],
    capacity: number,
    zones: readonly string[],
    { pacing = WIDE, isLimited = true, undialedFor = null as number | null } = {},
  ) {
    const storage = await open();
    const clock = new ManualClock(NOON);
    const own = withinTenant(storage.db, OURS);
    const plan = { windows, pacing, retries: null };
    const id = 'camp_00000000000000000000';
    await own
      .insertInto('telephony_campaigns', {
        id,
        key_id: null,
        name: 'Try',
        from_number: '+14155550100',
        agent_id: 'agt_1',
        state: 'running',
        paused_reason: null,
        plan: JSON.stringify({ ...plan, amd: null, message: null, webhook_url: null }),
        waiting_for: null,
        created_at: NOON,
        started_at: NOON,
        ended_at: null,
      })
      .execute();
    const targets = zones.map((_zone, position) => ({
      id: `tgt_${position}`,
      key_id: null,
      campaign_id: id,
      position,
      to_number: `+${position}`,
      variables: '{}',
      state: 'waiting' as const,
      attempts: 0,
      next_at: NOON,
      outcome: null,
      call_id: null,
    }));
    for (let at = 0; at < targets.length; at += 1000)
      await own.insertInto('telephony_targets', targets.slice(at, at + 1000)).execute();
    if (undialedFor !== null) {
      const records = new TelephonyCallStore({
        storage,
        clock: new ManualClock(NOON - undialedFor),
        billing: {} as never,
        webhooks: { publish: async () => null },
      });
      await storage.transaction((trx) =>
        records.create(trx, OURS, {
          id: 'tcl_00000000000000000000',
          key_id: null,
          carrier: 'loopback',
          direction: 'outbound',
          from_number: '+14155550100',
          to_number: '+0',
          number_id: null,
          agent_id: 'agt_1',
          campaign_id: id,
          state: 'queued',
          request: '{}',
          scheduled_at: null,
        }),
      );
      await own
        .updateTable('telephony_targets')
        .set({ state: 'calling', call_id: 'tcl_00000000000000000000' })
        .where('id', '=', 'tgt_0')
        .execute();
    }
    const [dialed, looked]: [string[], string[]] = [[], []];
    let definition: JobDefinition | undefined;
    new CampaignRunner({
      storage,
      clock,
      queue: { define: (defined) => (definition = defined) } as Pick<JobQueue, 'define'> as JobQueue,
      dispatcher: {
        place: async (_trx: unknown, _caller: unknown, { to }: { to: string }) => {
          dialed.push(to);
          return { id: `tcl_${to}` };
        },
      } as never,
      obstacles: {
        check: async () =>
          capacity > 0 || !isLimited ? null : { code: 'rate_limit_exceeded', afterMs: 10_000 },
      },
      guards: { remainingCapacity: async () => capacity },
      numbers: { owned: async () => ({}) as TelephonyNumberRow },
      hasAgent: async () => true,
      standings: { of: async () => principal },
      webhooks: { publish: async () => null },
      zonesOf: (number) => {
        looked.push(number);
        return [zones[Number(number.slice(1))] as string];
      },
    });
    const job = {
      payload: { id, org_id: OURS.org, project_id: OURS.project, environment: OURS.environment },
      postpone: (_at: number, store: Parameters<RunningJob['postpone']>[1]) => storage.transaction(store),
    };
    await definition?.run(job as unknown as RunningJob, new AbortController().signal);
    const rows = await own.selectFrom('telephony_targets').selectAll().orderBy('position').execute();
    const campaign = await own.selectFrom('telephony_campaigns').selectAll().executeTakeFirstOrThrow();
    const later = rows.filter(({ next_at }) => Number(next_at) === NOON + TEN_MINUTES_MS);
    return { dialed, looked, later: later.map((row) => row.to_number), waitingFor: campaign.waiting_for };
  }

  it('looks up no zone without windows', async () => {
    const { dialed, looked, later } = await turn(null, 2, [OPEN, CLOSED, OPEN]);
    expect({ dialed, looked, later }).toEqual({ dialed: ['+0', '+1'], looked: [], later: [] });
  });

  it('looks up no zone without capacity, and says what it waits for', async () => {
    const { dialed, looked, later, waitingFor } = await turn(HOURS, 0, [OPEN, CLOSED]);
    expect({ dialed, looked, later }).toEqual({ dialed: [], looked: [], later: [] });
    expect(waitingFor).toBe('rate_limit_exceeded');
  });

  it('dials as many as it may of those within their hours, and looks up no more', async () => {
    const { dialed, looked, later } = await turn(HOURS, 2, [OPEN, CLOSED, OPEN, CLOSED, OPEN]);
    expect(dialed).toEqual(['+0', '+2']);
    expect(looked).toEqual(['+0', '+1', '+2']);
    expect(later).toEqual(['+1']);
  });

  it('postpones all of them outside of their hours, and waits for nothing else', async () => {
    const { dialed, later, waitingFor } = await turn(HOURS, 2, [CLOSED, CLOSED, CLOSED]);
    expect({ dialed, later, waitingFor }).toEqual({
      dialed: [],
      later: ['+0', '+1', '+2'],
      waitingFor: null,
    });
  });

  it('finds open targets behind thousands that are outside of their hours', async () => {
    const zones = [...Array.from({ length: 2_100 }, () => CLOSED), OPEN, OPEN, OPEN];
    const pacing = { concurrent: 2, calls_per_minute: 60 };
    const { dialed, later } = await turn(HOURS, 10, zones, { pacing });
    expect(dialed).toEqual(['+2100', '+2101']);
    expect(later).toHaveLength(2_100);
  });

  it('looks at a bounded number of targets, and at the others in its next turns', async () => {
    const zones = [...Array.from({ length: 5_000 }, () => CLOSED), OPEN];
    const { dialed, looked, later } = await turn(HOURS, 10, zones);
    expect([dialed, looked.length, later.length]).toEqual([[], 5_000, 5_000]);
  });

  it('dials each open target once, however they are mixed with others', async () => {
    const zones = Array.from({ length: 1_200 }, (_, n) => (n % 10 === 0 ? OPEN : CLOSED));
    const { dialed, looked } = await turn(HOURS, 500, zones);
    expect(dialed).toEqual(zones.flatMap((zone, n) => (zone === OPEN ? [`+${n}`] : [])));
    expect(looked).toHaveLength(1_200);
  });

  it('waits for capacity where the calls of the organization wait for lanes', async () => {
    const { dialed, waitingFor } = await turn(null, 0, [OPEN], { isLimited: false });
    expect([dialed, waitingFor]).toEqual([[], 'capacity']);
  });

  it.each([
    ['waits for capacity where its own call waits for a lane', 5_000, 'capacity'],
    ['does not wait for a call that is about to be dialed', 500, null],
  ])('%s', async (_what, undialedFor, code) => {
    const pacing = { concurrent: 1, calls_per_minute: 60 };
    const { dialed, waitingFor } = await turn(null, 10, [OPEN, OPEN], { pacing, undialedFor });
    expect([dialed, waitingFor]).toEqual([[], code]);
  });
});
