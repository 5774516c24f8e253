// @requirement Campaigns: A campaign takes 100,000 rows, calling windows, pacing, retries and pause.
import { AsyncResource } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { type JobDefinition, JobQueue, type RunningJob } from '../../../src/foundation/jobs/index.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import type { TelephonyNumberRow } from '../../../src/foundation/storage/tables/telephony.ts';
import { CampaignRunner, Campaigns } from '../../../src/telephony/dialling/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const principal = { ...new OneKeyAccess().principal(), entitlements: ['telephony'] as const };
const OURS = tenantScopeOf(principal);
const BOB = { to: '+15005550001', variables: {} };
const PLAN = { windows: null, pacing: {}, retries: null, amd: null, message: null, webhook_url: null };

class TappedQueue extends JobQueue {
  definition: JobDefinition | undefined;

  override define(definition: JobDefinition): void {
    this.definition = definition;
    super.define(definition);
  }
}

async function startedIn(storage: Storage) {
  const clock = new ManualClock();
  const queue = new TappedQueue(storage, clock);
  const campaigns = new Campaigns(storage, clock, queue);
  const published: string[] = [];
  new CampaignRunner({
    storage,
    clock,
    queue,
    dispatcher: {} as never,
    obstacles: { check: async () => null },
    guards: { remainingCapacity: async () => 0 },
    numbers: { owned: async () => ({}) as TelephonyNumberRow },
    hasAgent: async () => true,
    standings: { of: async () => principal },
    webhooks: {
      publish: async (_trx, { type }) => {
        published.push(type);
        return null;
      },
    },
    zonesOf: () => null,
  });
  const about = { name: 'Try', from: '+14155550100', agentId: 'agt_1', plan: PLAN };
  const none = { count: 0, batches: [] };
  const { id } = await campaigns.create(principal, { ...about, targets: none }, async () => {});
  await campaigns.start(OURS, id);
  const jobs = async () => (await storage.db.selectFrom('jobs').selectAll().execute()).map((job) => job.id);
  /** Runs a turn of the campaign, and `before` between its look at the targets and what it stores. */
  const turn = async (before: () => Promise<unknown> = async () => {}) => {
    const payload = { id, org_id: OURS.org, project_id: OURS.project, environment: OURS.environment };
    const job: Pick<RunningJob, 'payload' | 'complete' | 'postpone'> = {
      payload,
      complete: async (store) => {
        await before();
        await storage.transaction(async (trx) => {
          await trx.deleteFrom('jobs').execute();
          await store(trx);
        });
      },
      postpone: (_at, store) => storage.transaction(store),
    };
    await queue.definition!.run(job as unknown as RunningJob, new AbortController().signal);
  };
  const add = (targets: Parameters<Campaigns['add']>[2]) => campaigns.add(OURS, id, targets);
  const state = async () => (await campaigns.find(OURS, id)).state;
  return { id, add, turn, jobs, state, published };
}

onBothDatabases('the end of a campaign', ({ open }) => {
  it('comes when no target is left, and targets are refused then', async () => {
    const { turn, add, jobs, state, published } = await startedIn(await open());
    await turn();
    expect([await state(), await jobs(), published]).toEqual(['done', [], ['telephony.campaign.done']]);
    await expect(add({ count: 1, batches: [[BOB]] })).rejects.toMatchObject({ code: 'campaign_state' });
  });

  it('is put off where targets were added after its last look', async () => {
    const { id, turn, add, jobs, state, published } = await startedIn(await open());
    await turn(() => add({ count: 1, batches: [[BOB]] }));
    expect([await state(), await jobs(), published]).toEqual(['running', [`campaign ${id}`], []]);
  });

  it('either refuses targets that come at the same time or goes on for them', async () => {
    const { id, turn, add, jobs, state } = await startedIn(await open());
    let ending: Promise<void> | undefined;
    const end = AsyncResource.bind(() => turn());
    function* batches() {
      yield [BOB];
      ending ??= end();
      yield [BOB];
    }
    const added = await add({ count: 2, batches: { [Symbol.iterator]: batches } }).then(
      () => true,
      (error: { code: string }) => error.code,
    );
    await ending;
    expect([true, 'campaign_state']).toContain(added);
    const goesOn = ['running', [`campaign ${id}`]];
    expect([await state(), await jobs()]).toEqual(added === true ? goesOn : ['done', []]);
  });
});
