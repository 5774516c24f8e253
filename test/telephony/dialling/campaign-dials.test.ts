// @requirement Campaigns: A campaign takes 100,000 rows, calling windows, pacing, retries and pause.
import { expect, it } from 'vitest';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { DomainEvents } from '../../../src/foundation/events/index.ts';
import { type JobDefinition, JobQueue, type RunningJob } from '../../../src/foundation/jobs/index.ts';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import { type Storage, withinTenant } from '../../../src/foundation/storage/index.ts';
import type { TelephonyNumberRow } from '../../../src/foundation/storage/tables/telephony.ts';
import type { CallOrder } from '../../../src/telephony/carriers/index.ts';
import {
  CallDispatcher,
  CampaignAdmission,
  type CampaignPlan,
  CampaignRunner,
  Campaigns,
  LegWithdrawn,
  LivePhoneCalls,
  TelephonyCallStore,
} from '../../../src/telephony/dialling/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const principal = { ...new OneKeyAccess().principal(), entitlements: ['telephony'] as const };
const OURS = tenantScopeOf(principal);
const PLACE = { org_id: OURS.org, project_id: OURS.project, environment: OURS.environment };
const [NUMBER, SHOWN, CALLED] = ['+14155550100', '+14155550101', '+15005550001'];
const EVENING = Date.parse('2026-03-10T19:59:00Z');
const PLAN = { windows: null, pacing: {}, retries: null, amd: null, message: null, webhook_url: null };

class TappedQueue extends JobQueue {
  readonly definitions = new Map<string, JobDefinition>();

  override define(definition: JobDefinition): void {
    this.definitions.set(definition.queue, definition);
    super.define(definition);
  }
}

/** A campaign of one target, whose call is placed and not dialed yet. */
async function placedIn(storage: Storage, plan: Partial<CampaignPlan> = {}) {
  const clock = new ManualClock(EVENING);
  const queue = new TappedQueue(storage, clock);
  const events = new DomainEvents();
  const records = new TelephonyCallStore({
    storage,
    clock,
    billing: {} as never,
    webhooks: { publish: async () => null },
    events,
  });
  const orders: CallOrder[] = [];
  const owned = new Set([NUMBER, SHOWN]);
  const settings = JSON.stringify({ caller_id: SHOWN });
  const world = { hasLane: true, whileAsked: async (): Promise<unknown> => undefined };
  const numbers = {
    owned: async (_scope: unknown, phone_number: string) =>
      owned.has(phone_number) ? ({ id: 'num_1', phone_number, settings } as TelephonyNumberRow) : null,
  };
  const dispatcher = new CallDispatcher({
    storage,
    clock,
    queue,
    records,
    log: {} as never,
    access: { admit: async () => ({ id: 'hold_1', release: async () => {}, handOver: () => {} }) as never },
    carrier: {
      name: 'loopback',
      incoming: () => {},
      place: async (order: CallOrder) => {
        orders.push(order);
        return new Promise(() => {});
      },
    } as never,
    numbers: numbers as never,
    phones: new LivePhoneCalls(clock, records),
    guards: { checkTarget: () => {}, check: async () => {}, checkInClaim: async () => {} } as never,
    obstacles: { isQuiet: () => false } as never,
    campaigns: new CampaignAdmission({ storage, clock, zonesOf: () => ['UTC'] }),
    gate: async () => {
      await world.whileAsked();
      return { allowed: true, reasons: [] };
    },
    agents: {} as never,
    askRoute: {} as never,
    standings: { of: async () => principal },
    hasAgent: async () => true,
    reserveLane: () => {
      if (!world.hasLane) throw new ApiError('capacity', 'No lane is free.');
      return { release: () => {} } as never;
    },
  });
  const runner = new CampaignRunner({
    storage,
    clock,
    queue,
    dispatcher,
    obstacles: { check: async () => null },
    guards: { remainingCapacity: async () => 10 },
    numbers: numbers as never,
    hasAgent: async () => true,
    standings: { of: async () => principal },
    webhooks: { publish: async () => null },
    zonesOf: () => ['UTC'],
  });
  events.subscribe(LegWithdrawn, (trx, { row, code }) => runner.withdrawn(trx, row, code));
  const campaigns = new Campaigns(storage, clock, queue);
  const { id } = await campaigns.create(
    principal,
    {
      name: 'Try',
      from: NUMBER,
      agentId: 'agt_1',
      plan: { ...PLAN, ...plan },
      targets: { count: 1, batches: [[{ to: CALLED, variables: {} }]] },
    },
    async () => {},
  );
  await campaigns.start(OURS, id);
  const run = async (name: string, about: string) => {
    const job: Pick<RunningJob, 'payload' | 'complete' | 'postpone'> = {
      payload: { id: about, ...PLACE },
      complete: (store, options) => storage.transaction(store, options),
      postpone: (_at, store) => storage.transaction(store),
    };
    await queue.definitions.get(name)!.run(job as RunningJob, new AbortController().signal);
  };
  await run('telephony.campaign', id);
  const own = withinTenant(storage.db, OURS);
  const call = await own.selectFrom('telephony_calls').selectAll().executeTakeFirstOrThrow();
  const dial = () => run('telephony.dial', call.id);
  const target = () => own.selectFrom('telephony_targets').selectAll().executeTakeFirst();
  const found = () => records.find(OURS, call.id);
  const pause = () => campaigns.pause(OURS, id);
  return { id, world, clock, owned, orders, campaigns, dial, pause, target, found };
}

const WAITS = { state: 'waiting', attempts: 0, call_id: null, outcome: null };

onBothDatabases('a placed call of a campaign', ({ open }) => {
  it('is dialed while the campaign runs', async () => {
    const { dial, orders, target } = await placedIn(await open(), {
      windows: { from: '09:00', to: '20:00' },
    });
    expect(await target()).toMatchObject({ state: 'calling', attempts: 1 });
    await dial();
    expect(orders).toMatchObject([{ to: CALLED, from: SHOWN }]);
  });

  it('waits for a lane, and is withdrawn once the campaign is paused', async () => {
    const { world, dial, pause, orders, found, target } = await placedIn(await open());
    world.hasLane = false;
    await dial();
    expect(await found()).toMatchObject({ state: 'queued', dialed_at: null });
    await pause();
    await dial();
    expect([await found(), orders]).toEqual([null, []]);
    expect(await target()).toMatchObject(WAITS);
  });

  it('is withdrawn where the pause comes while the gate is asked', async () => {
    const { world, dial, pause, orders, found, target } = await placedIn(await open());
    world.whileAsked = pause;
    await dial();
    expect([await found(), orders]).toEqual([null, []]);
    expect(await target()).toMatchObject(WAITS);
  });

  it('is withdrawn once the campaign is deleted', async () => {
    const { id, campaigns, dial, pause, orders, found, target } = await placedIn(await open());
    await pause();
    await campaigns.remove(OURS, id);
    await dial();
    expect([await found(), await target(), orders]).toEqual([null, undefined, []]);
  });

  it('is withdrawn where the hours ended meanwhile, and its target waits for them', async () => {
    const windows = { from: '09:00', to: '20:00' };
    const { clock, dial, orders, found, target } = await placedIn(await open(), { windows });
    clock.advance(3 * 3600 * 1000);
    await dial();
    expect([await found(), orders]).toEqual([null, []]);
    expect(await target()).toMatchObject(WAITS);
  });

  it('shows the number of its campaign where the caller id was released', async () => {
    const { owned, dial, orders } = await placedIn(await open());
    owned.delete(SHOWN);
    await dial();
    expect(orders).toMatchObject([{ to: CALLED, from: NUMBER }]);
  });
});
