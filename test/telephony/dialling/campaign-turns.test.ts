// @requirement Campaigns: A campaign takes 100,000 rows, calling windows, pacing, retries and pause.
import { expect, it } from 'vitest';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import type { JobDefinition, JobQueue, RunningJob } from '../../../src/foundation/jobs/index.ts';
import { withinTenant } from '../../../src/foundation/storage/index.ts';
import type { TelephonyNumberRow } from '../../../src/foundation/storage/tables/telephony.ts';
import { type CampaignPlan, CampaignRunner } from '../../../src/telephony/dialling/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onSqlite } from '../../foundation/storage/databases.ts';

const principal = { ...new OneKeyAccess().principal(), entitlements: ['telephony'] as const };
const OURS = tenantScopeOf(principal);
const NOON = Date.parse('2026-03-10T12:00:00Z');
const TEN_MINUTES_MS = 600_000;
const HOURS = { from: '09:00', to: '20:00' };
const [OPEN, CLOSED] = ['Europe/London', 'America/Los_Angeles'];

onSqlite('a turn of a campaign', ({ open }) => {
  /** Each target is in the zone that stands for it. */
  async function turn(windows: CampaignPlan['windows'], capacity: number, zones: readonly string[]) {
    const storage = await open();
    const clock = new ManualClock(NOON);
    const own = withinTenant(storage.db, OURS);
    const plan = { windows, pacing: { concurrent: 500, calls_per_minute: 6000 }, retries: null };
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
    for (const position of zones.keys())
      await own
        .insertInto('telephony_targets', {
          id: `tgt_${position}`,
          campaign_id: id,
          position,
          to_number: `+${position}`,
          variables: '{}',
          state: 'waiting',
          attempts: 0,
          next_at: NOON,
          outcome: null,
          call_id: null,
        })
        .execute();
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
        check: async () => (capacity > 0 ? null : { code: 'rate_limit_exceeded', afterMs: 10_000 }),
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
    const targets = await own.selectFrom('telephony_targets').selectAll().orderBy('position').execute();
    const campaign = await own.selectFrom('telephony_campaigns').selectAll().executeTakeFirstOrThrow();
    const later = targets.filter(({ next_at }) => Number(next_at) === NOON + TEN_MINUTES_MS);
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
});
