import { setImmediate } from 'node:timers/promises';
import type { Principal, TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../foundation/access/index.ts';
import type { JobQueue, JobToEnqueue, Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { acrossTenants, newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { TelephonyCampaignRow } from '../../foundation/storage/tables/telephony.ts';
import { type CampaignPlan, changedPlan, type PlanChange, planOf } from './campaign-plan.ts';
import { MOST_TARGETS, type TargetBatches } from './target-list.ts';

export interface NewCampaign {
  readonly name: string;
  readonly from: string;
  readonly agentId: string;
  readonly plan: CampaignPlan;
  readonly targets: TargetBatches;
}

export interface CampaignChange extends Partial<Pick<NewCampaign, 'name' | 'from' | 'agentId'>> {
  readonly plan: PlanChange;
}

export interface CampaignReport {
  readonly waiting: number;
  readonly calling: number;
  readonly done: number;
  readonly attempts: number;
  readonly outcomes: Readonly<Record<string, number>>;
}

export const CAMPAIGN_QUEUE = 'telephony.campaign';

export const jobOf = (id: string): string => `campaign ${id}`;

type CampaignPlace = Pick<TelephonyCampaignRow, 'id' | 'org_id' | 'project_id' | 'environment'>;

/** The job of a running campaign, which dials its targets. */
export const campaignJob = ({ id, org_id, project_id, environment }: CampaignPlace): JobToEnqueue => ({
  id: jobOf(id),
  queue: CAMPAIGN_QUEUE,
  tenant: org_id,
  payload: { id, org_id, project_id, environment },
});

export class Campaigns {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #queue: JobQueue;

  constructor(storage: Storage, clock: Clock, queue: JobQueue) {
    this.#storage = storage;
    this.#clock = clock;
    this.#queue = queue;
  }

  async create(
    caller: Principal,
    { name, from, agentId, plan, targets }: NewCampaign,
    alongside: (trx: Trx, row: TelephonyCampaignRow) => Promise<void>,
  ): Promise<TelephonyCampaignRow> {
    const scope = tenantScopeOf(caller);
    return await this.#storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .insertInto('telephony_campaigns', {
          id: newId('camp'),
          key_id: caller.keyId,
          name,
          from_number: from,
          agent_id: agentId,
          state: 'draft',
          plan: JSON.stringify(plan),
          waiting_for: null,
          created_at: this.#clock.now(),
          paused_reason: null,
          started_at: null,
          ended_at: null,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#insert(trx, row, 0, targets);
      await alongside(trx, row);
      return row;
    });
  }

  async add(scope: TenantScope, id: string, targets: TargetBatches): Promise<number> {
    return await this.#storage.transaction(async (trx) => {
      const row = await this.#find(trx, scope, id);
      if (row.state === 'done') throw stateError(row, 'create a new campaign');
      const { count } = await withinTenant(trx, scope)
        .selectFrom('telephony_targets')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('campaign_id', '=', id)
        .executeTakeFirstOrThrow();
      const before = Number(count);
      if (before + targets.count > MOST_TARGETS) {
        throw new ApiError('invalid_request', `A campaign can have at most ${MOST_TARGETS} targets.`, {
          param: 'file',
        });
      }
      await this.#insert(trx, row, before, targets);
      return before + targets.count;
    });
  }

  find(scope: TenantScope, id: string): Promise<TelephonyCampaignRow> {
    return this.#find(this.#storage.db as never, scope, id);
  }

  async list(
    scope: TenantScope,
    query: PageQuery & { readonly state?: TelephonyCampaignRow['state'] | undefined },
    start: PageEnd | null,
  ): Promise<TelephonyCampaignRow[]> {
    const all = withinTenant(this.#storage.db, scope).selectFrom('telephony_campaigns').selectAll();
    const rows = query.state === undefined ? all : all.where('state', '=', query.state);
    return await newestFirst(rows, query, start).execute();
  }

  async start(scope: TenantScope, id: string): Promise<TelephonyCampaignRow> {
    return await this.#storage.transaction(async (trx) => {
      const row = await this.#find(trx, scope, id);
      if (row.state === 'running') return row;
      if (row.state === 'done') throw stateError(row, 'create a new campaign');
      const running = await withinTenant(trx, scope)
        .updateTable('telephony_campaigns')
        .set({ state: 'running', paused_reason: null, started_at: row.started_at ?? this.#clock.now() })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#queue.replace(trx, campaignJob(row));
      return running;
    });
  }

  async pause(scope: TenantScope, id: string): Promise<TelephonyCampaignRow> {
    return await this.#storage.transaction(async (trx) => {
      const row = await this.#find(trx, scope, id);
      if (row.state === 'paused') return row;
      if (row.state !== 'running') throw stateError(row, 'only a running campaign can be paused');
      await this.#queue.cancel(trx, jobOf(id));
      return await withinTenant(trx, scope)
        .updateTable('telephony_campaigns')
        .set({ state: 'paused', waiting_for: null })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
    });
  }

  /**
   * The change applies from the next target. Throws ApiError once the campaign is done, and where `check` refuses the
   * plan that results.
   */
  async change(
    scope: TenantScope,
    id: string,
    { name, from, agentId, plan }: CampaignChange,
    check: (after: CampaignPlan) => void,
  ): Promise<TelephonyCampaignRow> {
    return await this.#storage.transaction(async (trx) => {
      const row = await this.#find(trx, scope, id);
      if (row.state === 'done') throw stateError(row, 'create a new campaign');
      const after = changedPlan(planOf(row), plan);
      check(after);
      if (plan.windows !== undefined) await this.#recheckHours(trx, scope, id);
      return await withinTenant(trx, scope)
        .updateTable('telephony_campaigns')
        .set({
          name: name ?? row.name,
          from_number: from ?? row.from_number,
          agent_id: agentId ?? row.agent_id,
          plan: JSON.stringify(after),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
    });
  }

  /**
   * Removes the campaign with its targets; its calls stay. A running campaign cannot be removed, because calls would
   * still go out.
   */
  async remove(scope: TenantScope, id: string): Promise<void> {
    await this.#storage.transaction(async (trx) => {
      const row = await this.#find(trx, scope, id);
      if (row.state === 'running') throw stateError(row, 'pause it before you delete it');
      await this.#queue.cancel(trx, jobOf(id));
      await withinTenant(trx, scope).deleteFrom('telephony_targets').where('campaign_id', '=', id).execute();
      await withinTenant(trx, scope).deleteFrom('telephony_campaigns').where('id', '=', id).execute();
    });
  }

  report(scope: TenantScope, id: string): Promise<CampaignReport> {
    return reportOf(this.#storage.db, scope, id);
  }

  /** Targets that were never called wait for the hours alone, so other hours are checked at once. */
  async #recheckHours(trx: Trx, scope: TenantScope, id: string): Promise<void> {
    await withinTenant(trx, scope)
      .updateTable('telephony_targets')
      .set({ next_at: this.#clock.now() })
      .where('campaign_id', '=', id)
      .where('state', '=', 'waiting')
      .where('attempts', '=', 0)
      .execute();
  }

  async #find(trx: Trx, scope: TenantScope, id: string): Promise<TelephonyCampaignRow> {
    const row = await withinTenant(trx, scope)
      .selectFrom('telephony_campaigns')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw new NoSuchError('campaign');
    return row;
  }

  /** Inserts in batches, so that other requests are served in between. */
  async #insert(
    trx: Trx,
    { id, org_id, project_id, environment, key_id }: TelephonyCampaignRow,
    from: number,
    { batches }: TargetBatches,
  ): Promise<void> {
    const now = this.#clock.now();
    let position = from;
    for (const targets of batches) {
      const rows = targets.map(({ to, variables }, offset) => ({
        id: newId('ttgt'),
        org_id,
        project_id,
        environment,
        key_id,
        campaign_id: id,
        position: position + offset,
        to_number: to,
        variables: JSON.stringify(variables),
        state: 'waiting' as const,
        attempts: 0,
        next_at: now,
        outcome: null,
        call_id: null,
      }));
      await acrossTenants(trx).insertInto('telephony_targets').values(rows).execute();
      position += rows.length;
      await setImmediate();
    }
  }
}

const stateError = ({ state }: TelephonyCampaignRow, remedy: string): ApiError =>
  new ApiError('campaign_state', `The campaign is ${state}; ${remedy}.`, { param: 'campaign_id' });

export async function reportOf(
  db: Parameters<typeof withinTenant>[0],
  scope: TenantScope,
  id: string,
): Promise<CampaignReport> {
  const rows = await withinTenant(db, scope)
    .selectFrom('telephony_targets')
    .select(['state', 'outcome'])
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.sum<number>('attempts').as('attempts')])
    .where('campaign_id', '=', id)
    .groupBy(['state', 'outcome'])
    .execute();
  const sum = (state: string) =>
    rows.filter((row) => row.state === state).reduce((all, { count }) => all + Number(count), 0);
  const done = rows.filter((row) => row.state === 'done');
  return {
    waiting: sum('waiting'),
    calling: sum('calling'),
    done: sum('done'),
    attempts: rows.reduce((all, { attempts }) => all + Number(attempts ?? 0), 0),
    outcomes: Object.fromEntries(done.map(({ outcome, count }) => [outcome ?? 'unknown', Number(count)])),
  };
}
