import { sql } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { Billing } from '../../foundation/billing/contract.ts';
import { usageEventOf } from '../../foundation/billing/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import {
  acrossTenants,
  isOwnerGone,
  newestFirst,
  SEEN_BY_LEASE,
  type Storage,
  withinTenant,
} from '../../foundation/storage/index.ts';
import type { TelephonyCallRow } from '../../foundation/storage/tables/telephony.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import { usageIdOf } from './call-costs.ts';
import { callView, requestOf } from './call-view.ts';
import type { CallEnding, CallQuality } from './contract.ts';
import { callReservationId } from './reservation.ts';

export interface TelephonyCallStoreOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly billing: Billing;
  readonly webhooks: Pick<Webhooks, 'publish'>;
  /** Runs in the transaction that ends a call. */
  readonly ended?: (trx: Trx, row: TelephonyCallRow) => Promise<void>;
  /** Runs in the transaction in which a node reclaims a call that had been ended as lost. */
  readonly takenBack?: (trx: Trx, row: TelephonyCallRow) => Promise<void>;
  /** Runs in the transaction that withdraws a call which was never dialed: its target waits again. */
  readonly withdrawn?: (trx: Trx, row: TelephonyCallRow, code: string) => Promise<void>;
}

export type NewTelephonyCall = Omit<
  TelephonyCallRow,
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
  | 'node_id'
  | 'lost_at'
  | 'created_at'
  | 'answered_at'
  | 'ended_at'
  | 'duration_ms'
  | 'billed_minutes'
  | 'quality'
  | 'recording_bytes'
>;

export interface TelephonyCallFilter {
  readonly state?: string | undefined;
  readonly direction?: string | undefined;
  readonly campaign_id?: string | undefined;
  readonly omni_call_id?: string | undefined;
}

export interface FinishedCall {
  readonly ending: CallEnding;
  /** The time from the answer to the last audio. */
  readonly talkedMs: number;
  readonly quality: CallQuality;
  readonly hold: string | null;
}

const MINUTE_MS = 60_000;
const LOST: CallEnding = { reason: 'failed', detail: 'the server that carried the call was lost' };

/** The records of telephone calls. Each moves forward only, and its end, its bill and its event are one transaction. */
export class TelephonyCallStore {
  readonly #options: TelephonyCallStoreOptions;

  constructor(options: TelephonyCallStoreOptions) {
    this.#options = options;
  }

  async create(trx: Trx, scope: TenantScope, call: NewTelephonyCall): Promise<TelephonyCallRow> {
    const now = this.#options.clock.now();
    return await withinTenant(trx, scope)
      .insertInto('telephony_calls', {
        ...call,
        end_reason: null,
        end_detail: null,
        answered_by: null,
        omni_call_id: null,
        reference: null,
        dialed_at: null,
        transferred_at: null,
        seen_at: SEEN_BY_LEASE,
        node_id: call.direction === 'inbound' ? this.#options.storage.nodeId : null,
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

  /** The claim to dial, which only one node ever gets; null: it was dialed, or has ended. `dials`: false for one that is only ended. */
  async claim(trx: Trx, scope: TenantScope, id: string, dials = true): Promise<TelephonyCallRow | null> {
    const now = this.#options.clock.now();
    const row = await withinTenant(trx, scope)
      .updateTable('telephony_calls')
      .set({ node_id: this.#options.storage.nodeId, ...(dials ? { dialed_at: now } : {}) })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .where('dialed_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    return row ?? null;
  }

  /** Takes back a call that was not dialed, as if nobody had asked for it. */
  async withdraw(trx: Trx, scope: TenantScope, id: string, code: string): Promise<void> {
    const row = await this.claim(trx, scope, id, false);
    if (row === null) return;
    await withinTenant(trx, scope).deleteFrom('telephony_calls').where('id', '=', id).execute();
    await this.#options.withdrawn?.(trx, row, code);
  }

  async ringing(scope: TenantScope, id: string): Promise<void> {
    await withinTenant(this.#options.storage.db, scope)
      .updateTable('telephony_calls')
      .set({ state: 'ringing' })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .execute();
  }

  async answered(scope: TenantScope, id: string): Promise<void> {
    const { storage, clock } = this.#options;
    await storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .updateTable('telephony_calls')
        .set({ state: 'answered', answered_at: clock.now() })
        .where('id', '=', id)
        .where('state', 'in', ['queued', 'ringing'])
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined) await this.#tell(trx, scope, 'telephony.call.answered', row);
    });
  }

  /** The call lives, and nothing comes from its other side. */
  async oneWay(scope: TenantScope, id: string, quality: CallQuality): Promise<void> {
    await this.#options.storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .updateTable('telephony_calls')
        .set({ quality: JSON.stringify(quality) })
        .where('id', '=', id)
        .where('state', '=', 'answered')
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined) await this.#tell(trx, scope, 'telephony.call.one_way', row);
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

  /** The carrier is asked to connect it with somebody else, which counts as a call that is dialed. */
  async transferring(trx: Trx, scope: TenantScope, id: string): Promise<void> {
    await withinTenant(trx, scope)
      .updateTable('telephony_calls')
      .set({ transferred_at: this.#options.clock.now() })
      .where('id', '=', id)
      .execute();
  }

  /** Once, whoever ends it: what was talked with whoever answered is billed in whole minutes. */
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
    const { clock, billing, ended } = this.#options;
    const { ending, talkedMs, quality, hold } = finished;
    const milliseconds = Math.max(0, Math.round(talkedMs));
    const billed = (await this.#isBilled(trx, scope, id, ending)) ? milliseconds : 0;
    const row = await withinTenant(trx, scope)
      .updateTable('telephony_calls')
      .set({
        state: 'ended',
        end_reason: ending.reason,
        end_detail: ending.detail,
        ended_at: clock.now(),
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
    await this.#tell(trx, scope, 'telephony.call.ended', row);
    await ended?.(trx, row);
  }

  /** An empty or failed call bills nothing: nobody answered, an announcement of the carrier did, or it failed before anybody talked. */
  async #isBilled(trx: Trx, scope: TenantScope, id: string, { reason }: CallEnding): Promise<boolean> {
    const row = await withinTenant(trx, scope)
      .selectFrom('telephony_calls')
      .select(['answered_at', 'answered_by', 'omni_call_id', 'transferred_at'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined || row.answered_at === null || row.answered_by === 'dead_number') return false;
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

  /** Ends the calls of nodes that are gone: nobody knows how long they went on, so that nothing is billed. */
  async endLost(): Promise<number> {
    const { storage, clock } = this.#options;
    const lost = await acrossTenants(storage.db)
      .selectFrom('telephony_calls')
      .select(['id', 'org_id', 'project_id', 'environment'])
      .where('state', '!=', 'ended')
      .where(({ eb, or }) => or([eb('dialed_at', 'is not', null), eb('direction', '=', 'inbound')]))
      .where(isOwnerGone('telephony_calls', clock.now()))
      .limit(500)
      .execute();
    for (const row of lost) {
      const finished = { ending: LOST, talkedMs: 0, quality: {}, hold: null };
      await storage.transaction((trx) =>
        this.#endIn(trx, tenantScopeOfRow(row), row.id, finished, clock.now()),
      );
    }
    return lost.length;
  }

  /** The calls of this node, among `ids`, that another node has ended as lost go on, and are billed when they end. */
  async takeBack(ids: readonly string[]): Promise<void> {
    const { storage, takenBack } = this.#options;
    for (let from = 0; from < ids.length; from += 500) {
      await storage.transaction(async (trx) => {
        const rows = await acrossTenants(trx)
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
          .where('id', 'in', ids.slice(from, from + 500))
          .where('lost_at', 'is not', null)
          .returningAll()
          .execute();
        for (const row of rows) await takenBack?.(trx, row);
      });
    }
  }

  async #tell(
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
