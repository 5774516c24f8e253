import { callIdOf, type LaneReservation } from '../../conversation/calls/index.ts';
import type { AccessControl, Admission, Principal, TenantScope } from '../../foundation/access/contract.ts';
import { type ImpliedPrincipals, tenantScopeOf, tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { JobDefinition, JobQueue, JobWorker, RunningJob, Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { Log } from '../../foundation/platform/log.ts';
import { printableValue } from '../../foundation/platform/printable.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { TelephonyCallRow, TelephonyNumberRow } from '../../foundation/storage/tables/telephony.ts';
import type { Carrier } from '../carriers/index.ts';
import { AgentCallFlow, type AgentCallFlowDeps } from './agent-call-flow.ts';
import { callBackRequest } from './call-backs.ts';
import { CallTranscriptWriter } from './call-transcript-writer.ts';
import { requestOf } from './call-view.ts';
import type { CampaignAdmission } from './campaign-admission.ts';
import { type CallEnding, type CallRequest, checkMessage, failedBy } from './contract.ts';
import type { DialAdmission, DialRefusal } from './dial-admission.ts';
import type { DialLimiter } from './dial-limiter.ts';
import { InboundCallHandler } from './inbound-call-handler.ts';
import type { LivePhoneCalls } from './live-phone-calls.ts';
import { type NumberSettings, readSettings } from './number-settings.ts';
import { type CallFlow, PhoneCall, type PhoneCallOrder } from './phone-call.ts';
import type { SegmentRecorder } from './phone-call-recorder.ts';
import type { PhoneNumberService } from './phone-number-service.ts';
import { canonicalNumber } from './phone-numbers.ts';
import { admitting } from './reservation.ts';
import type { RequestRoute } from './route-url.ts';
import type { TelephonyCallStore } from './telephony-call-store.ts';

export type DialPermission = (
  scope: TenantScope,
  to: string,
  agentId: string | null,
) => Promise<{ readonly allowed: boolean; readonly reasons: readonly { code: string; detail: string }[] }>;

export interface CallDispatcherOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  readonly access: Pick<AccessControl, 'admit'>;
  readonly queue: JobQueue;
  readonly carrier: Carrier;
  readonly records: TelephonyCallStore;
  readonly numbers: PhoneNumberService;
  readonly phones: LivePhoneCalls;
  readonly recorder?: SegmentRecorder;
  readonly guards: DialLimiter;
  readonly obstacles: DialAdmission;
  readonly campaigns: Pick<CampaignAdmission, 'permits'>;
  readonly gate: DialPermission;
  readonly agents: AgentCallFlowDeps;
  readonly askRoute: RequestRoute;
  readonly standings: Pick<ImpliedPrincipals, 'of'>;
  readonly hasAgent: (scope: TenantScope, agentId: string) => Promise<boolean>;
  /** Reserves the agent's lane before the call is dialed. Throws ApiError `capacity` where no lane is free. */
  readonly reserveLane: (principal: Principal) => LaneReservation;
}

export interface CallInput extends CallRequest {
  readonly from: string;
  readonly to: string;
  readonly agent_id: string;
  readonly schedule_at?: number;
}

export interface DialOrder {
  readonly principal: Principal;
  readonly row: TelephonyCallRow;
  readonly plan: CallFlow;
  readonly settings: NumberSettings;
  /** The call is admitted now when this is absent. */
  readonly admitted?: Admission;
}

interface DialJob {
  readonly job: RunningJob;
  readonly scope: TenantScope;
  readonly row: TelephonyCallRow | null;
  readonly principal: Principal | null;
  readonly lane: LaneReservation | null;
}

const QUEUE = 'telephony.dial';
const LEASE_MS = 30_000;
const AT_ONCE = 20;
const RING_MS = 30_000;
/** The delay after which a dial without capacity is retried; any node that has capacity by then takes it. */
const CAPACITY_RETRY_MS = 1_000;
/** A dial fails when it finds no capacity for this long after its due time. */
const MAX_CAPACITY_WAIT_MS = 300_000;
const MAX_DURATION_S = 3_600;
const LONGEST_PLAN_MS = 30 * 24 * 3600 * 1000;

export class CallDispatcher {
  readonly #options: CallDispatcherOptions;
  #worker: JobWorker | null = null;

  constructor(options: CallDispatcherOptions) {
    this.#options = options;
    options.queue.define(this.#definition());
    const reception = new InboundCallHandler({
      ...options,
      phone: (order) => this.#phone(order),
      ended: (scope, id, ending) => this.#ended(scope, id, ending),
    });
    options.carrier.incoming((call) => reception.take(call));
  }

  async check(scope: TenantScope, input: CallInput): Promise<{ number: TelephonyNumberRow; to: string }> {
    const { guards, clock } = this.#options;
    const number = await this.checkParties(scope, input.from, input.agent_id);
    const to = canonicalNumber(input.to);
    if (to === null)
      throw new ApiError(
        'invalid_request',
        'The number must be a telephone number in E.164 form, such as +34911234567.',
        { param: 'to' },
      );
    guards.checkTarget(to);
    const { message, amd = readSettings(number.settings).amd } = input;
    checkMessage(message, amd);
    if (input.schedule_at !== undefined && input.schedule_at > clock.now() + LONGEST_PLAN_MS)
      throw new ApiError('invalid_request', 'A call can be scheduled at most 30 days ahead.', {
        param: 'schedule_at',
      });
    return { number, to };
  }

  async checkParties(scope: TenantScope, from: string, agentId: string): Promise<TelephonyNumberRow> {
    const number = await this.owned(scope, from);
    if (await this.#options.hasAgent(scope, agentId)) return number;
    throw new ApiError(
      'invalid_request',
      `There is no agent ${printableValue(agentId)}, or none of its versions is published.`,
      {
        param: 'agent_id',
      },
    );
  }

  async owned(scope: TenantScope, from: string): Promise<TelephonyNumberRow> {
    const number = await this.#options.numbers.owned(scope, from);
    if (number !== null) return number;
    const message = 'Calls are made from your own numbers; POST /v1/telephony/numbers provisions one.';
    throw new ApiError('invalid_request', message, { param: 'from' });
  }

  /** Stores the call's record and the job that dials it in one transaction. */
  async place(
    trx: Trx,
    caller: Principal,
    input: CallInput,
    { number, to }: { number: TelephonyNumberRow; to: string },
    { id = newId('tcl'), campaignId = null }: { id?: string; campaignId?: string | null } = {},
  ): Promise<TelephonyCallRow> {
    const { records, carrier } = this.#options;
    const { from: _from, to: _to, agent_id: agentId, schedule_at: scheduledAt, ...request } = input;
    const settings = readSettings(number.settings);
    const row = await records.create(trx, tenantScopeOf(caller), {
      id,
      key_id: caller.keyId,
      carrier: carrier.name,
      direction: 'outbound',
      from_number: number.phone_number,
      to_number: to,
      number_id: number.id,
      agent_id: agentId,
      campaign_id: campaignId,
      state: 'queued',
      request: JSON.stringify({
        ...request,
        amd: request.amd === undefined ? settings.amd : request.amd,
        webhook_url: request.webhook_url ?? settings.webhook_url,
      }),
      scheduled_at: scheduledAt ?? null,
    });
    await this.#enqueue(trx, row);
    return row;
  }

  /** Runs in the transaction that ends a call: redials a callee who declined, where the call asks for it. */
  async redial(trx: Trx, row: TelephonyCallRow): Promise<void> {
    const { redial } = requestOf(row);
    if (row.end_reason !== 'rejected' || !redial || redial.times < 1 || row.campaign_id !== null) return;
    const { records, clock } = this.#options;
    const request = { ...requestOf(row), redial: { ...redial, times: redial.times - 1 } };
    const again = await records.create(trx, tenantScopeOfRow(row), {
      id: newId('tcl'),
      key_id: row.key_id,
      carrier: row.carrier,
      direction: 'outbound',
      from_number: row.from_number,
      to_number: row.to_number,
      number_id: row.number_id,
      agent_id: row.agent_id,
      campaign_id: null,
      state: 'queued',
      request: JSON.stringify(request),
      scheduled_at: clock.now() + redial.after_s * 1000,
    });
    await this.#enqueue(trx, again);
  }

  /** Runs in the transaction that ends the leg of a lost call: the caller is called back, and the call goes on. */
  async callBack(trx: Trx, leg: TelephonyCallRow, session: string): Promise<void> {
    const [ours, theirs] =
      leg.direction === 'inbound' ? [leg.to_number, leg.from_number] : [leg.from_number, leg.to_number];
    const again = await this.#options.records.create(trx, tenantScopeOfRow(leg), {
      id: newId('tcl'),
      ...(leg.call_id === null ? {} : { call_id: leg.call_id }),
      key_id: leg.key_id,
      carrier: leg.carrier,
      direction: 'outbound',
      from_number: ours,
      to_number: theirs,
      number_id: leg.number_id,
      agent_id: leg.agent_id,
      campaign_id: null,
      state: 'queued',
      request: JSON.stringify(callBackRequest(leg, session)),
      scheduled_at: null,
    });
    await this.#enqueue(trx, again);
  }

  async #enqueue(trx: Trx, row: TelephonyCallRow): Promise<void> {
    const { id, org_id, project_id, environment, scheduled_at: scheduledAt } = row;
    await this.#options.queue.enqueue(trx, {
      id: `dial ${id}`,
      queue: QUEUE,
      tenant: org_id,
      payload: { id, org_id, project_id, environment },
      ...(scheduledAt === null ? {} : { runAt: Number(scheduledAt) }),
    });
  }

  async cancel(scope: TenantScope, row: TelephonyCallRow): Promise<boolean> {
    const { storage, queue, records } = this.#options;
    return await storage.transaction(async (trx) => {
      if ((await records.claim(trx, scope, row.id, false)) === null) return false;
      await queue.cancel(trx, `dial ${row.id}`);
      const ending: CallEnding = { reason: 'canceled', detail: null };
      await records.endIn(trx, scope, row.id, { ending, talkedMs: 0, quality: {}, hold: null });
      return true;
    });
  }

  async dial({ principal, row, plan, settings, admitted }: DialOrder): Promise<PhoneCall | null> {
    const { carrier, guards, phones } = this.#options;
    const scope = tenantScopeOf(principal);
    phones.expect(row.id);
    try {
      guards.checkTarget(row.to_number);
      const from = await this.#callerId(scope, row, settings);
      const admission = admitted ?? (await this.#admit(principal, row.id));
      const maxDurationMs = (requestOf(row).max_duration_s ?? MAX_DURATION_S) * 1000;
      const recordsOn = settings.record_after_transfer;
      const call = this.#phone({
        id: row.id,
        callId: row.call_id ?? callIdOf(row.id),
        principal,
        admission,
        plan,
        maxDurationMs,
        recordsOn,
      });
      if (call.isOver) return null;
      call.follow(
        carrier.place({ id: row.id, from, to: row.to_number, ringMs: RING_MS, tenant: scope }, call),
      );
      return call;
    } catch (error) {
      await admitted?.release();
      const ending = failedBy(error);
      plan.ended(ending);
      await this.#ended(scope, row.id, ending);
      if (!(error instanceof ApiError)) throw error;
      return null;
    } finally {
      phones.forget(row.id);
    }
  }

  /** A number that was released while the settings name it may belong to somebody else. */
  async #callerId(
    scope: TenantScope,
    { from_number: own }: TelephonyCallRow,
    { caller_id: shown }: NumberSettings,
  ): Promise<string> {
    return shown !== null && (await this.#options.numbers.owned(scope, shown)) !== null ? shown : own;
  }

  start(onError: (error: Error) => void): void {
    this.#worker = this.#options.queue.startWorker(this.#definition(), { onError });
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#worker?.stop(deadlineMs);
  }

  #definition(): JobDefinition {
    return {
      queue: QUEUE,
      isOutbound: true,
      concurrency: AT_ONCE,
      leaseMs: LEASE_MS,
      run: (job) => this.#run(job),
    };
  }

  /**
   * Claims the call and completes its job in one transaction: if this node fails later, no other node dials the call
   * again.
   */
  async #run(job: RunningJob): Promise<void> {
    const { records, campaigns, standings, phones } = this.#options;
    const { id, ...place } = job.payload as { id: string } & Parameters<typeof tenantScopeOfRow>[0];
    const scope = tenantScopeOfRow(place);
    const row = await records.find(scope, id);
    if (row !== null && !(await campaigns.permits(row)))
      return await job.complete((trx) => records.withdraw(trx, scope, id, null));
    const principal = await standings.of(scope, row?.key_id ?? null);
    const lane = this.#reserveLane(principal);
    if (lane === null && row !== null && !this.#hasWaitedLong(row))
      return await job.postpone(this.#options.clock.now() + CAPACITY_RETRY_MS, async () => {});
    let isDialed = false;
    // From the claim on, a hang-up comes to this node.
    phones.expect(id);
    try {
      isDialed = await this.#dialWith({ job, scope, row, principal, lane });
    } finally {
      phones.forget(id);
      if (!isDialed) lane?.release();
    }
  }

  async #dialWith({ job, scope, row, principal, lane }: DialJob): Promise<boolean> {
    const { records, agents, guards, campaigns } = this.#options;
    const asked = lane === null ? NO_CAPACITY : await this.#ask(scope, row, principal);
    if ('code' in asked) {
      await job.complete((trx) => this.#refuse(trx, scope, row, asked));
      return false;
    }
    const { admission, number } = asked;
    let claimed: TelephonyCallRow | null = null;
    let refusal: DialRefusal | null = null;
    try {
      await job.complete(
        async (trx) => {
          claimed = null;
          if (row === null) return;
          if (!(await campaigns.permits(row, trx))) return await records.withdraw(trx, scope, row.id, null);
          await guards.checkInClaim(trx, scope);
          claimed = await records.claim(trx, scope, row.id);
        },
        { isolation: 'read committed' },
      );
    } catch (error) {
      claimed = null;
      refusal = refusalBy(error, true);
    } finally {
      if (claimed === null) await admission.release();
    }
    if (refusal !== null) {
      const refused = refusal;
      await job.complete((trx) => this.#refuse(trx, scope, row, refused));
      return false;
    }
    if (claimed === null || principal === null || row === null) return false;
    const settings = readSettings(number.settings);
    const plan = new AgentCallFlow(agents, {
      agentId: row.agent_id,
      direction: 'outbound',
      number: row.to_number,
      request: requestOf(row),
      settings,
      ...(lane === null ? {} : { lane }),
    });
    return (await this.dial({ principal, row, plan, settings, admitted: admission })) !== null;
  }

  /** Returns null where no lane is free or the engine is not ready. A call whose project is deleted needs no lane. */
  #reserveLane(principal: Principal | null): LaneReservation | null {
    if (principal === null) return { release: () => undefined };
    try {
      return this.#options.reserveLane(principal);
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }

  #hasWaitedLong({ scheduled_at: scheduledAt, created_at: createdAt }: TelephonyCallRow): boolean {
    const due = Math.max(Number(scheduledAt ?? 0), Number(createdAt));
    return this.#options.clock.now() > due + MAX_CAPACITY_WAIT_MS;
  }

  /** Ends a call that was not dialed. A campaign's call that may be dialed later is withdrawn instead. */
  async #refuse(
    trx: Trx,
    scope: TenantScope,
    row: TelephonyCallRow | null,
    { code, waits }: DialRefusal,
  ): Promise<void> {
    const { records } = this.#options;
    if (row === null) return;
    if (waits && row.campaign_id !== null) return await records.withdraw(trx, scope, row.id, code);
    if ((await records.claim(trx, scope, row.id, false)) === null) return;
    const ending: CallEnding = { reason: 'failed', detail: code };
    await records.endIn(trx, scope, row.id, { ending, talkedMs: 0, quality: {}, hold: null });
  }

  #admit(principal: Principal, callId: string): Promise<Admission> {
    return this.#options.access.admit(principal, 'telephony.call', admitting(callId));
  }

  async #ask(
    scope: TenantScope,
    row: TelephonyCallRow | null,
    principal: Principal | null,
  ): Promise<DialRefusal | { readonly admission: Admission; readonly number: TelephonyNumberRow }> {
    const { gate, guards, numbers, obstacles, agents } = this.#options;
    if (row === null || principal === null) return { code: 'the project was deleted', waits: true };
    const { resumes } = requestOf(row);
    if (resumes !== undefined && !(await agents.live.checkpoints?.isSuspended(scope, resumes, RING_MS)))
      return { code: 'call_not_live', waits: false };
    if (!principal.entitlements.includes('telephony')) return { code: 'not_entitled', waits: true };
    const number = await numbers.owned(scope, row.from_number);
    if (number === null) return { code: 'the number was released', waits: true };
    if (obstacles.isQuiet(number)) return { code: 'quiet_hours', waits: true };
    try {
      guards.checkTarget(row.to_number);
    } catch (error) {
      return refusalBy(error, false);
    }
    let admission: Admission | null = null;
    try {
      await guards.check(scope, number);
      admission = await this.#admit(principal, row.id);
    } catch (error) {
      return refusalBy(error, true);
    }
    const { allowed, reasons } = await gate(scope, row.to_number, row.agent_id);
    if (allowed) return { admission, number };
    await admission.release();
    const codes = reasons.map(({ code }) => code);
    return { code: codes.join(', '), waits: codes.every((code) => code === 'quiet_hours') };
  }

  #phone(order: PhoneCallOrder): PhoneCall {
    const { clock, log, records, phones, recorder } = this.#options;
    const over = (one: PhoneCall) => phones.remove(one);
    const taped = recorder === undefined ? {} : { recorder };
    const call = new PhoneCall({ clock, log, records, over, ...taped }, order);
    phones.add(call);
    return call;
  }

  /** Ends a call that has no leg. */
  #ended(scope: TenantScope, id: string, ending: CallEnding): Promise<void> {
    const { records, clock, log } = this.#options;
    const writer = new CallTranscriptWriter(records, clock, log, scope, id);
    return writer.end({ ending, talkedMs: 0, quality: {}, hold: null });
  }
}

const NO_CAPACITY: DialRefusal = { code: 'capacity', waits: true };

function refusalBy(error: unknown, waits: boolean): DialRefusal {
  if (error instanceof ApiError) return { code: error.code, waits };
  throw error;
}
