import { sql } from 'kysely';
import {
  advanceCall,
  beginCall,
  type CallParts,
  callIdOf,
  endCallIfOver,
  forgetCallIfEmpty,
  type LostCall,
  ownCall,
  usageIdOf,
} from '../../conversation/calls/index.ts';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Billing } from '../../foundation/billing/contract.ts';
import { usageEventOf } from '../../foundation/billing/index.ts';
import { DomainEvent, type DomainEvents } from '../../foundation/events/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, SEEN_BY_LEASE, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { TelephonyCallRow } from '../../foundation/storage/tables/telephony.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import { callView, requestOf } from './call-view.ts';
import type { CallEnding, CallQuality } from './contract.ts';
import { callReservationId } from './reservation.ts';

export interface TelephonyCallStoreOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly billing: Billing;
  readonly webhooks: Pick<Webhooks, 'publish'>;
  readonly events?: Pick<DomainEvents, 'publish'>;
}

export const LegEnded = new DomainEvent<TelephonyCallRow>('leg.ended');
export const LegReclaimed = new DomainEvent<TelephonyCallRow>('leg.reclaimed');
export const LegWithdrawn = new DomainEvent<{ readonly row: TelephonyCallRow; readonly code: string | null }>(
  'leg.withdrawn',
);

export type NewTelephonyCall = Omit<
  TelephonyCallRow,
  | 'call_id'
  | 'org_id'
  | 'project_id'
  | 'environment'
  | 'end_reason'
  | 'end_detail'
  | 'answered_by'
  | 'omni_call_id'
  | 'reference'
  | 'dialed_at'
  | 'transferred_at'
  | 'seen_at'
  | 'lost_at'
  | 'created_at'
  | 'answered_at'
  | 'ended_at'
  | 'duration_ms'
  | 'billed_minutes'
  | 'quality'
  | 'recording_bytes'
> & {
  /** The leg begins a new call when this is absent. */
  readonly call_id?: string;
};

export interface TelephonyCallFilter {
  readonly state?: string | undefined;
  readonly direction?: string | undefined;
  readonly campaign_id?: string | undefined;
  readonly omni_call_id?: string | undefined;
}

export interface FinishedCall {
  readonly ending: CallEnding;
  readonly talkedMs: number;
  readonly quality: CallQuality;
  readonly hold: string | null;
  /** The time of the answer, in case that its own write was lost. */
  readonly answeredAt?: number | null;
  /** The call ends now where this is absent. */
  readonly endedAt?: number;
}

const MINUTE_MS = 60_000;
const LOST: CallEnding = { reason: 'failed', detail: 'the server that handled the call failed' };

/**
 * Stores telephone calls as legs of calls. A state only moves forward; the end of a call, its usage record and its
 * event are one transaction.
 */
export class TelephonyCallStore implements Omit<CallParts, 'live'> {
  readonly #options: TelephonyCallStoreOptions;

  constructor(options: TelephonyCallStoreOptions) {
    this.#options = options;
  }

  async create(trx: Trx, scope: TenantScope, call: NewTelephonyCall): Promise<TelephonyCallRow> {
    const { storage, clock } = this.#options;
    const now = clock.now();
    const callId = call.call_id ?? callIdOf(call.id);
    if (call.call_id === undefined)
      await beginCall(trx, scope, {
        id: callId,
        keyId: call.key_id,
        kind: 'telephony',
        direction: call.direction,
        state: { kind: call.state === 'ringing' ? 'ringing' : 'queued' },
        nodeId: call.direction === 'inbound' ? storage.nodeId : null,
        createdAt: now,
      });
    return await withinTenant(trx, scope)
      .insertInto('telephony_calls', {
        ...call,
        call_id: callId,
        end_reason: null,
        end_detail: null,
        answered_by: null,
        omni_call_id: null,
        reference: null,
        dialed_at: null,
        transferred_at: null,
        seen_at: SEEN_BY_LEASE,
        lost_at: null,
        created_at: now,
        answered_at: null,
        ended_at: null,
        duration_ms: 0,
        billed_minutes: 0,
        quality: '{}',
        recording_bytes: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  /**
   * Claims the call for dialing; one node at most gets the claim. Returns null where the call was dialed or has
   * ended. With `dials` false the claim only ends the call.
   */
  async claim(trx: Trx, scope: TenantScope, id: string, dials = true): Promise<TelephonyCallRow | null> {
    const { storage, clock } = this.#options;
    const row = await withinTenant(trx, scope)
      .updateTable('telephony_calls')
      // The row is written either way, so that two claims at the same time conflict.
      .set(dials ? { dialed_at: clock.now() } : { dialed_at: null })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .where('dialed_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return null;
    if (row.call_id !== null) await ownCall(trx, scope, row.call_id, storage.nodeId);
    return row;
  }

  /** Removes a call that was not dialed, so that its campaign target waits as before. */
  async withdraw(trx: Trx, scope: TenantScope, id: string, code: string | null): Promise<void> {
    const row = await this.claim(trx, scope, id, false);
    if (row === null) return;
    await withinTenant(trx, scope).deleteFrom('telephony_calls').where('id', '=', id).execute();
    await forgetCallIfEmpty(trx, scope, row.call_id);
    await this.#options.events?.publish(trx, LegWithdrawn, { row, code });
  }

  async ringing(scope: TenantScope, id: string): Promise<void> {
    await this.#options.storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .updateTable('telephony_calls')
        .set({ state: 'ringing' })
        .where('id', '=', id)
        .where('state', '=', 'queued')
        .returning('call_id')
        .executeTakeFirst();
      if (row !== undefined) await advanceCall(trx, scope, row.call_id, { kind: 'rang' });
    });
  }

  async answered(scope: TenantScope, id: string, at = this.#options.clock.now()): Promise<void> {
    await this.#options.storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .updateTable('telephony_calls')
        .set({ state: 'answered', answered_at: at })
        .where('id', '=', id)
        .where('state', 'in', ['queued', 'ringing'])
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return;
      await advanceCall(trx, scope, row.call_id, { kind: 'answered', at });
      await this.#notify(trx, scope, 'telephony.call.answered', row);
    });
  }

  async oneWay(scope: TenantScope, id: string, quality: CallQuality): Promise<void> {
    await this.#options.storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .updateTable('telephony_calls')
        .set({ quality: JSON.stringify(quality) })
        .where('id', '=', id)
        .where('state', '=', 'answered')
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined) await this.#notify(trx, scope, 'telephony.call.one_way', row);
    });
  }

  async note(
    scope: TenantScope,
    id: string,
    what: Partial<Pick<TelephonyCallRow, 'answered_by' | 'omni_call_id' | 'reference' | 'agent_id'>>,
  ): Promise<void> {
    await withinTenant(this.#options.storage.db, scope)
      .updateTable('telephony_calls')
      .set(what)
      .where('id', '=', id)
      .execute();
  }

  /** Records a transfer by the carrier, which counts as a dialed call in the limits. */
  async transferring(trx: Trx, scope: TenantScope, id: string): Promise<void> {
    await withinTenant(trx, scope)
      .updateTable('telephony_calls')
      .set({ transferred_at: this.#options.clock.now() })
      .where('id', '=', id)
      .execute();
  }

  /** Ends the call once, whichever side ends it, and bills the talk time in whole minutes. */
  async end(scope: TenantScope, id: string, finished: FinishedCall): Promise<void> {
    const { storage } = this.#options;
    await storage.transaction((trx) => this.endIn(trx, scope, id, finished));
  }

  async endIn(trx: Trx, scope: TenantScope, id: string, finished: FinishedCall): Promise<void> {
    await this.#endIn(trx, scope, id, finished, null);
  }

  async #endIn(
    trx: Trx,
    scope: TenantScope,
    id: string,
    finished: FinishedCall,
    lostAt: number | null,
  ): Promise<void> {
    const { clock, billing, events } = this.#options;
    const { ending, talkedMs, quality, hold, answeredAt = null, endedAt = clock.now() } = finished;
    const milliseconds = Math.max(0, Math.round(talkedMs));
    const billed = (await this.#isBilled(trx, scope, id, ending, answeredAt)) ? milliseconds : 0;
    const row = await withinTenant(trx, scope)
      .updateTable('telephony_calls')
      .set({
        state: 'ended',
        end_reason: ending.reason,
        end_detail: ending.detail,
        answered_at: sql<number | null>`coalesce(answered_at, ${answeredAt})`,
        ended_at: endedAt,
        duration_ms: milliseconds,
        billed_minutes: Math.ceil(billed / MINUTE_MS),
        quality: JSON.stringify(quality),
        lost_at: lostAt,
      })
      .where('id', '=', id)
      .where(({ eb, or }) => or([eb('state', '!=', 'ended'), eb('lost_at', 'is not', null)]))
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return;
    const occurredAt = Number(row.answered_at ?? row.created_at);
    await billing.recordUsage(
      trx,
      usageEventOf(row, {
        id: usageIdOf(id),
        use: 'telephony.call',
        milliseconds: billed,
        resource: id,
        occurredAt,
        reservationId: hold,
      }),
    );
    await billing.releaseReservation(callReservationId(id), trx);
    await endCallIfOver(trx, scope, row.call_id, endedAt);
    await this.#notify(trx, scope, 'telephony.call.ended', row);
    await events?.publish(trx, LegEnded, row);
  }

  /**
   * Bills nothing where the call was not answered, a carrier's announcement answered, or it failed before an agent or
   * a transfer.
   */
  async #isBilled(
    trx: Trx,
    scope: TenantScope,
    id: string,
    { reason }: CallEnding,
    answeredAt: number | null,
  ): Promise<boolean> {
    const row = await withinTenant(trx, scope)
      .selectFrom('telephony_calls')
      .select(['answered_at', 'answered_by', 'omni_call_id', 'transferred_at'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined || row.answered_by === 'dead_number') return false;
    if (row.answered_at === null && answeredAt === null) return false;
    return reason !== 'failed' || row.omni_call_id !== null || row.transferred_at !== null;
  }

  async find(scope: TenantScope, id: string): Promise<TelephonyCallRow | null> {
    const row = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('telephony_calls')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row ?? null;
  }

  async list(
    scope: TenantScope,
    query: PageQuery,
    filter: TelephonyCallFilter,
    start: PageEnd | null,
  ): Promise<TelephonyCallRow[]> {
    let rows = withinTenant(this.#options.storage.db, scope).selectFrom('telephony_calls').selectAll();
    if (filter.state !== undefined) rows = rows.where('state', '=', filter.state as never);
    if (filter.direction !== undefined) rows = rows.where('direction', '=', filter.direction as never);
    if (filter.campaign_id !== undefined) rows = rows.where('campaign_id', '=', filter.campaign_id);
    if (filter.omni_call_id !== undefined) rows = rows.where('omni_call_id', '=', filter.omni_call_id);
    return await newestFirst(rows, query, start).execute();
  }

  async legsOf(scope: TenantScope, callId: string): Promise<TelephonyCallRow[]> {
    return await withinTenant(this.#options.storage.db, scope)
      .selectFrom('telephony_calls')
      .selectAll()
      .where('call_id', '=', callId)
      .execute();
  }

  /** Ends the legs of a lost call. Nothing is billed, because their duration is unknown. */
  async endLost(trx: Trx, { id, scope, at }: LostCall): Promise<void> {
    const legs = await withinTenant(trx, scope)
      .selectFrom('telephony_calls')
      .select('id')
      .where('call_id', '=', id)
      .where('state', '!=', 'ended')
      .execute();
    const finished = { ending: LOST, talkedMs: 0, quality: {}, hold: null };
    for (const leg of legs) await this.#endIn(trx, scope, leg.id, finished, at);
  }

  async reclaim(trx: Trx, scope: TenantScope, callId: string): Promise<void> {
    const legs = await withinTenant(trx, scope)
      .updateTable('telephony_calls')
      .set({
        state: sql<
          TelephonyCallRow['state']
        >`case when answered_at is null then 'ringing' else 'answered' end`,
        end_reason: null,
        end_detail: null,
        ended_at: null,
        lost_at: null,
      })
      .where('call_id', '=', callId)
      .where('lost_at', 'is not', null)
      .returningAll()
      .execute();
    for (const row of legs) await this.#options.events?.publish(trx, LegReclaimed, row);
  }

  async #notify(
    trx: Trx,
    scope: TenantScope,
    type: 'telephony.call.answered' | 'telephony.call.one_way' | 'telephony.call.ended',
    row: TelephonyCallRow,
  ): Promise<void> {
    const url = requestOf(row).webhook_url ?? null;
    const urls = url === null ? [] : [url];
    await this.#options.webhooks.publish(trx, { scope, type, data: callView(row), resource: row.id, urls });
  }
}
