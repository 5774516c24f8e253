import type { Principal, TenantScope } from '../../foundation/access/contract.ts';
import { type ImpliedPrincipals, tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { JobDefinition, JobQueue, JobWorker, RunningJob, Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type {
  TelephonyCallRow,
  TelephonyCampaignRow,
  TelephonyNumberRow,
  TelephonyTargetRow,
} from '../../foundation/storage/tables/telephony.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import type { CallDispatcher } from './call-dispatcher.ts';
import { type CampaignPlan, isOpen, planOf } from './campaign-plan.ts';
import { CAMPAIGN_QUEUE, campaignJob, reportOf } from './campaigns.ts';
import type { PausedReason } from './contract.ts';
import type { DialAdmission } from './dial-admission.ts';
import type { DialLimiter } from './dial-limiter.ts';
import type { PhoneNumberService } from './phone-number-service.ts';

export interface CampaignRunnerOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly dispatcher: CallDispatcher;
  readonly obstacles: Pick<DialAdmission, 'check'>;
  readonly guards: Pick<DialLimiter, 'remainingCapacity'>;
  readonly numbers: Pick<PhoneNumberService, 'owned'>;
  readonly hasAgent: (scope: TenantScope, agentId: string) => Promise<boolean>;
  readonly standings: Pick<ImpliedPrincipals, 'of'>;
  readonly webhooks: Pick<Webhooks, 'publish'>;
  readonly zonesOf: (number: string) => readonly string[] | null;
}

type DueTarget = Pick<TelephonyTargetRow, 'id' | 'to_number'>;

const LEASE_MS = 30_000;
const AT_ONCE = 4;
const TURN_MS = 1_000;
const MINUTE_MS = 60_000;
const CLOSED_MS = 10 * MINUTE_MS;
/** A run looks at this many targets at once, and at so many pages of them, for those within their hours. */
const TARGETS_AT_ONCE = 500;
const MOST_PAGES = 10;
/** A placed call that is not dialed after this time waits for a lane. */
const UNDIALED_MS = 2_000;
const DEFAULTS = { concurrent: 5, calls_per_minute: 60 };
/** Attempts beyond the plan's for a target whose call was lost with its node. */
const MOST_LOST_ATTEMPTS = 2;
const LOST_RETRY_S = 60;
const RETRIED_UNLESS_SAID: readonly string[] = ['busy', 'no_answer'];

/**
 * Dials the targets of running campaigns. Each campaign is a job that runs once a second, and each run is one
 * transaction.
 */
export class CampaignRunner {
  readonly #options: CampaignRunnerOptions;
  #worker: JobWorker | null = null;

  constructor(options: CampaignRunnerOptions) {
    this.#options = options;
    options.queue.define(this.#definition());
  }

  start(onError: (error: Error) => void): void {
    this.#worker = this.#options.queue.startWorker(this.#definition(), { onError });
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#worker?.stop(deadlineMs);
  }

  /** Runs in the transaction that ends a call: its target is retried or completed. */
  async ended(trx: Trx, row: TelephonyCallRow): Promise<void> {
    if (row.campaign_id === null) return;
    const own = withinTenant(trx, tenantScopeOfRow(row));
    const target = await own
      .selectFrom('telephony_targets')
      .selectAll()
      .where('call_id', '=', row.id)
      .where('state', '=', 'calling')
      .executeTakeFirst();
    const campaign = await own
      .selectFrom('telephony_campaigns')
      .selectAll()
      .where('id', '=', row.campaign_id)
      .executeTakeFirst();
    if (target === undefined || campaign === undefined) return;
    const outcome = outcomeOf(row);
    const again = isRetried(planOf(campaign), row, Number(target.attempts));
    await own
      .updateTable('telephony_targets')
      .set({
        outcome,
        state: again === null ? 'done' : 'waiting',
        ...(again === null ? {} : { next_at: this.#options.clock.now() + again }),
      })
      .where('id', '=', target.id)
      .execute();
  }

  /**
   * Runs in the transaction in which a node reclaims a call that had been ended as lost, so that no other node dials
   * its target.
   */
  async takenBack(trx: Trx, row: TelephonyCallRow): Promise<void> {
    if (row.campaign_id === null) return;
    await withinTenant(trx, tenantScopeOfRow(row))
      .updateTable('telephony_targets')
      .set({ state: 'calling' })
      .where('call_id', '=', row.id)
      .execute();
  }

  /**
   * Runs in the transaction that withdraws an undialed call: its target waits as before, with the reason if it is
   * another than the campaign itself.
   */
  async withdrawn(trx: Trx, row: TelephonyCallRow, code: string | null): Promise<void> {
    const wait = code === 'quiet_hours' ? CLOSED_MS : TURN_MS;
    await withinTenant(trx, tenantScopeOfRow(row))
      .updateTable('telephony_targets')
      .set((eb) => ({
        ...(code === null ? {} : { outcome: code }),
        state: 'waiting' as const,
        attempts: eb('attempts', '-', 1),
        call_id: null,
        next_at: this.#options.clock.now() + wait,
      }))
      .where('call_id', '=', row.id)
      .where('state', '=', 'calling')
      .execute();
  }

  #definition(): JobDefinition {
    return {
      queue: CAMPAIGN_QUEUE,
      isOutbound: true,
      concurrency: AT_ONCE,
      leaseMs: LEASE_MS,
      run: (job) => this.#turn(job),
    };
  }

  /**
   * Stores the calls of this run and the time of the next run together: a node that fails in between dials no target
   * twice.
   */
  async #turn(job: RunningJob): Promise<void> {
    const { storage, clock, numbers, hasAgent, obstacles, guards, standings } = this.#options;
    const { id, ...place } = job.payload as { id: string } & Parameters<typeof tenantScopeOfRow>[0];
    const scope = tenantScopeOfRow(place);
    const campaign = await withinTenant(storage.db, scope)
      .selectFrom('telephony_campaigns')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (campaign?.state !== 'running') return await job.complete(async () => {});
    const caller = await standings.of(scope);
    if (!caller?.entitlements.includes('telephony'))
      return await job.complete((trx) => this.#pause(trx, scope, id, 'not_entitled'));
    const number = await numbers.owned(scope, campaign.from_number);
    if (number === null) return await job.complete((trx) => this.#pause(trx, scope, id, 'number_released'));
    if (!(await hasAgent(scope, campaign.agent_id)))
      return await job.complete((trx) => this.#pause(trx, scope, id, 'agent_deleted'));
    if (!(await this.#isUnfinished(storage.db, scope, id)))
      return await job.complete((trx) => this.#done(trx, scope, campaign));
    const calling = await this.#calling(scope, id);
    const allowed = await this.#freeCalls(scope, campaign, calling.length);
    const due = allowed === 0 ? [] : await this.#due(scope, campaign, allowed);
    const capacity = due.length === 0 ? 0 : await guards.remainingCapacity(scope);
    const open = await this.#open(scope, campaign, due, Math.min(allowed, capacity));
    const isFull = due.length > 0 && capacity === 0;
    const obstacle = open.length > 0 || isFull ? await obstacles.check(caller, number) : null;
    const chosen = obstacle === null ? await this.#whole(scope, open) : [];
    const lacksLanes = open.length === 0 && (isFull || (await this.#holdsUndialed(scope, calling)));
    const code = obstacle?.code ?? (lacksLanes ? 'capacity' : null);
    await job.postpone(clock.now() + (obstacle?.afterMs ?? TURN_MS), async (trx) => {
      await this.#waits(trx, scope, campaign, code);
      await this.#dial(trx, scope, campaign, caller, number, chosen);
    });
  }

  async #waits(
    trx: Trx,
    scope: TenantScope,
    campaign: TelephonyCampaignRow,
    code: string | null,
  ): Promise<void> {
    if (code === campaign.waiting_for) return;
    await withinTenant(trx, scope)
      .updateTable('telephony_campaigns')
      .set({ waiting_for: code })
      .where('id', '=', campaign.id)
      .execute();
  }

  async #calling(scope: TenantScope, id: string): Promise<readonly string[]> {
    const rows = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('telephony_targets')
      .select('call_id')
      .where('campaign_id', '=', id)
      .where('state', '=', 'calling')
      .execute();
    return rows.map((row) => row.call_id ?? '');
  }

  /** Returns how many calls more the pacing of the campaign allows now. */
  async #freeCalls(scope: TenantScope, campaign: TelephonyCampaignRow, calling: number): Promise<number> {
    const { storage, clock } = this.#options;
    const { concurrent, calls_per_minute: perMinute } = { ...DEFAULTS, ...planOf(campaign).pacing };
    const lately = await withinTenant(storage.db, scope)
      .selectFrom('telephony_calls')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('campaign_id', '=', campaign.id)
      .where('created_at', '>', clock.now() - MINUTE_MS)
      .executeTakeFirstOrThrow();
    return Math.max(0, Math.min(concurrent - calling, perMinute - Number(lately.count)));
  }

  /** The dispatcher dials a placed call within a second, unless it finds no free lane. */
  async #holdsUndialed(scope: TenantScope, calling: readonly string[]): Promise<boolean> {
    if (calling.length === 0) return false;
    const { storage, clock } = this.#options;
    const call = await withinTenant(storage.db, scope)
      .selectFrom('telephony_calls')
      .select('id')
      .where('id', 'in', calling)
      .where('state', '=', 'queued')
      .where('dialed_at', 'is', null)
      .where('created_at', '<', clock.now() - UNDIALED_MS)
      .limit(1)
      .executeTakeFirst();
    return call !== undefined;
  }

  /** Returns targets that are due, in whatever hours: as many as may be dialed, or a page to look for open ones. */
  async #due(
    scope: TenantScope,
    campaign: TelephonyCampaignRow,
    allowed: number,
    except: readonly DueTarget[] = [],
  ): Promise<readonly DueTarget[]> {
    const { storage, clock } = this.#options;
    let due = withinTenant(storage.db, scope)
      .selectFrom('telephony_targets')
      .select(['id', 'to_number'])
      .where('campaign_id', '=', campaign.id)
      .where('state', '=', 'waiting')
      .where('next_at', '<=', clock.now());
    if (except.length > 0) due = due.where('id', 'not in', idsOf(except));
    return await due
      .orderBy('next_at')
      .orderBy('position')
      .limit(planOf(campaign).windows === null ? allowed : TARGETS_AT_ONCE)
      .execute();
  }

  /**
   * Returns the first `most` targets within the campaign's hours. Those before them that are outside wait, so that
   * the next run does not look at them again.
   */
  async #open(
    scope: TenantScope,
    campaign: TelephonyCampaignRow,
    due: readonly DueTarget[],
    most: number,
  ): Promise<readonly DueTarget[]> {
    const { clock, zonesOf } = this.#options;
    const { windows } = planOf(campaign);
    if (windows === null) return due.slice(0, most);
    const now = clock.now();
    const open: DueTarget[] = [];
    let page = due;
    for (let pages = 1; ; pages += 1) {
      const closed: DueTarget[] = [];
      for (const target of page) {
        if (open.length === most) break;
        if (isOpen(windows, zonesOf(target.to_number), now)) open.push(target);
        else closed.push(target);
      }
      if (closed.length > 0) await this.#later(scope, closed, now + CLOSED_MS);
      if (open.length === most || page.length < TARGETS_AT_ONCE || pages === MOST_PAGES) return open;
      page = await this.#due(scope, campaign, most, open);
    }
  }

  async #whole(scope: TenantScope, targets: readonly DueTarget[]): Promise<readonly TelephonyTargetRow[]> {
    if (targets.length === 0) return [];
    return await withinTenant(this.#options.storage.db, scope)
      .selectFrom('telephony_targets')
      .selectAll()
      .where('id', 'in', idsOf(targets))
      .orderBy('next_at')
      .orderBy('position')
      .execute();
  }

  async #dial(
    trx: Trx,
    scope: TenantScope,
    campaign: TelephonyCampaignRow,
    caller: Principal,
    number: TelephonyNumberRow,
    targets: readonly TelephonyTargetRow[],
  ): Promise<void> {
    const { amd, message, webhook_url } = planOf(campaign);
    for (const target of targets) {
      const variables = JSON.parse(target.variables) as Record<string, string>;
      const input = { from: campaign.from_number, to: target.to_number, agent_id: campaign.agent_id };
      const asked = { ...input, variables, amd, message, webhook_url };
      const to = target.to_number;
      const call = await this.#options.dispatcher.place(
        trx,
        caller,
        asked,
        { number, to },
        { campaignId: campaign.id },
      );
      await withinTenant(trx, scope)
        .updateTable('telephony_targets')
        .set({ state: 'calling', attempts: Number(target.attempts) + 1, call_id: call.id })
        .where('id', '=', target.id)
        .where('state', '=', 'waiting')
        .execute();
    }
  }

  async #isUnfinished(db: Storage['db'], scope: TenantScope, id: string): Promise<boolean> {
    const target = await withinTenant(db, scope)
      .selectFrom('telephony_targets')
      .select('id')
      .where('campaign_id', '=', id)
      .where('state', 'in', ['waiting', 'calling'])
      .limit(1)
      .executeTakeFirst();
    return target !== undefined;
  }

  async #later(scope: TenantScope, targets: readonly DueTarget[], at: number): Promise<void> {
    await withinTenant(this.#options.storage.db, scope)
      .updateTable('telephony_targets')
      .set({ next_at: at })
      .where('id', 'in', idsOf(targets))
      .execute();
  }

  /**
   * Looks for targets once more: an upload may have added some since this run found none. Either this transaction
   * sees them, and the campaign goes on, or the upload sees that the campaign is done.
   */
  async #done(trx: Trx, scope: TenantScope, campaign: TelephonyCampaignRow): Promise<void> {
    const { id } = campaign;
    if (await this.#isUnfinished(trx, scope, id))
      return await this.#options.queue.enqueue(trx, campaignJob(campaign));
    const row = await withinTenant(trx, scope)
      .updateTable('telephony_campaigns')
      .set({ state: 'done', waiting_for: null, ended_at: this.#options.clock.now() })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return;
    const { done, attempts, outcomes } = await reportOf(trx, scope, id);
    await this.#options.webhooks.publish(trx, {
      scope,
      type: 'telephony.campaign.done',
      resource: id,
      urls: [],
      data: {
        id,
        object: 'telephony.campaign',
        name: row.name,
        from: row.from_number,
        agent_id: row.agent_id,
        state: 'done',
        targets: done,
        attempts,
        outcomes,
        created_at: Number(row.created_at),
        started_at: row.started_at === null ? null : Number(row.started_at),
        ended_at: Number(row.ended_at),
      },
    });
  }

  async #pause(trx: Trx, scope: TenantScope, id: string, reason: PausedReason): Promise<void> {
    await withinTenant(trx, scope)
      .updateTable('telephony_campaigns')
      .set({ state: 'paused', paused_reason: reason, waiting_for: null })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .execute();
  }
}

const idsOf = (targets: readonly DueTarget[]): string[] => targets.map(({ id }) => id);

const outcomeOf = (row: TelephonyCallRow): string =>
  row.end_reason === 'failed' && row.answered_at === null
    ? (row.end_detail ?? 'failed')
    : (row.end_reason ?? 'failed');

function isRetried({ retries }: CampaignPlan, row: TelephonyCallRow, attempts: number): number | null {
  const planned = retries?.attempts ?? 1;
  // A lost call is a fault of this server: the plan's rules for outcomes do not apply.
  if (row.lost_at !== null)
    return attempts < planned + MOST_LOST_ATTEMPTS ? (retries?.after_s ?? LOST_RETRY_S) * 1000 : null;
  if (retries === null || attempts >= planned) return null;
  const outcomes: readonly string[] = retries.outcomes ?? RETRIED_UNLESS_SAID;
  return outcomes.includes(row.end_reason ?? '') ? retries.after_s * 1000 : null;
}
