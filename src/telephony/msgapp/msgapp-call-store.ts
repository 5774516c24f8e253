import { sql } from 'kysely';
import {
  advanceCall,
  beginCall,
  type CallParts,
  callIdOf,
  endCallIfOver,
  type LostCall,
} from '../../conversation/calls/index.ts';
import { type TenantScope, tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import {
  acrossTenants,
  newestFirst,
  SEEN_BY_LEASE,
  type Storage,
  withinTenant,
} from '../../foundation/storage/index.ts';
import type { MsgappCallRow } from '../../foundation/storage/tables/msgapp.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';

export type CallEndReason =
  | 'completed'
  | 'rejected'
  | 'no_answer'
  /** The caller's side ended the call before it was answered. */
  | 'canceled'
  | 'failed'
  /** No agent answers the number, or the organization's account does not allow the call. */
  | 'refused';

export type NewMsgappCall = Pick<
  MsgappCallRow,
  'number_id' | 'provider_call_id' | 'direction' | 'from_number' | 'to_number' | 'agent_id'
>;

export type InTransaction = (trx: Trx, row: MsgappCallRow) => Promise<void>;

const LOST = 'the server that handled the call failed';
/** Stores calls by messaging apps as legs of calls. An ended call stays ended, in whatever order its events arrive. */
export class MsgappCallStore implements Omit<CallParts, 'live'> {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #webhooks: Pick<Webhooks, 'publish'>;

  constructor(storage: Storage, clock: Clock, webhooks: Pick<Webhooks, 'publish'>) {
    this.#storage = storage;
    this.#clock = clock;
    this.#webhooks = webhooks;
  }

  /** The time of the cluster, by which the records are written. */
  now(): number {
    return this.#clock.now();
  }

  async begin(
    scope: TenantScope,
    call: NewMsgappCall,
    inTransaction?: InTransaction,
  ): Promise<string | null> {
    return await this.#storage.transaction(async (trx) => {
      const row = await this.#insert(trx, scope, call);
      if (row !== null) await inTransaction?.(trx, row);
      return row?.id ?? null;
    });
  }

  async #insert(trx: Trx, scope: TenantScope, call: NewMsgappCall): Promise<MsgappCallRow | null> {
    const id = newId('wcall');
    const callId = callIdOf(id);
    const now = this.#clock.now();
    const row = await withinTenant(trx, scope)
      .insertInto('msgapp_calls', {
        id,
        call_id: callId,
        ...call,
        omni_call_id: null,
        state: 'ringing',
        end_reason: null,
        error: null,
        created_at: now,
        seen_at: SEEN_BY_LEASE,
        lost_at: null,
        answered_at: null,
        ended_at: null,
      })
      .onConflict((conflict) => conflict.columns(['number_id', 'provider_call_id']).doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return null;
    await beginCall(trx, scope, {
      id: callId,
      keyId: null,
      kind: 'msgapp',
      direction: call.direction,
      state: { kind: 'ringing' },
      nodeId: this.#storage.nodeId,
      createdAt: now,
    });
    return row;
  }

  async answered(scope: TenantScope, id: string, omniCallId: string, at = this.#clock.now()): Promise<void> {
    await this.#storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .updateTable('msgapp_calls')
        .set({ state: 'answered', omni_call_id: omniCallId, answered_at: at })
        .where('id', '=', id)
        .where('state', '=', 'ringing')
        .returning('call_id')
        .executeTakeFirst();
      if (row !== undefined) await advanceCall(trx, scope, row.call_id, { kind: 'answered', at });
    });
  }

  async end(
    scope: TenantScope,
    id: string,
    reason: CallEndReason,
    error: string | null,
    at = this.#clock.now(),
  ): Promise<boolean> {
    return await this.#storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .updateTable('msgapp_calls')
        .set({ state: 'ended', end_reason: reason, error, ended_at: at, lost_at: null })
        .where('id', '=', id)
        .where(({ eb, or }) => or([eb('state', '<>', 'ended'), eb('lost_at', 'is not', null)]))
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return false;
      await endCallIfOver(trx, scope, row.call_id, at);
      await this.#publishEnded(trx, row);
      return true;
    });
  }

  async reclaim(trx: Trx, scope: TenantScope, callId: string): Promise<void> {
    await withinTenant(trx, scope)
      .updateTable('msgapp_calls')
      .set({
        state: sql<MsgappCallRow['state']>`case when answered_at is null then 'ringing' else 'answered' end`,
        end_reason: null,
        error: null,
        ended_at: null,
        lost_at: null,
      })
      .where('call_id', '=', callId)
      .where('lost_at', 'is not', null)
      .execute();
  }

  /** Ends the legs of a lost call at the time of its last heartbeat. `inTransaction` runs with the end of each leg. */
  async endLost(
    trx: Trx,
    { id, scope, at, seenAt }: LostCall,
    inTransaction: InTransaction = async () => {},
  ): Promise<void> {
    const rows = await withinTenant(trx, scope)
      .updateTable('msgapp_calls')
      .set({ state: 'ended', end_reason: 'failed', error: LOST, lost_at: at, ended_at: seenAt })
      .where('call_id', '=', id)
      .where('state', '<>', 'ended')
      .returningAll()
      .execute();
    for (const row of rows) {
      await this.#publishEnded(trx, row);
      await inTransaction(trx, row);
    }
  }

  async #publishEnded(trx: Trx, row: MsgappCallRow): Promise<void> {
    await this.#webhooks.publish(trx, {
      scope: tenantScopeOfRow(row),
      type: 'msgapp.call.ended',
      resource: row.id,
      urls: [],
      data: {
        id: row.id,
        object: 'msgapp.call',
        number_id: row.number_id,
        direction: row.direction,
        from: row.from_number,
        to: row.to_number,
        agent_id: row.agent_id,
        omni_call_id: row.omni_call_id,
        state: 'ended',
        end_reason: row.end_reason as CallEndReason,
        error: row.error,
        created_at: Number(row.created_at),
        answered_at: row.answered_at === null ? null : Number(row.answered_at),
        ended_at: Number(row.ended_at),
      },
    });
  }

  async byId(id: string): Promise<MsgappCallRow | null> {
    const rows = acrossTenants(this.#storage.db).selectFrom('msgapp_calls').selectAll();
    return (await rows.where('id', '=', id).executeTakeFirst()) ?? null;
  }

  async find(scope: TenantScope, numberId: string, providerCallId: string): Promise<MsgappCallRow | null> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('msgapp_calls')
      .selectAll()
      .where('number_id', '=', numberId)
      .where('provider_call_id', '=', providerCallId)
      .executeTakeFirst();
    return row ?? null;
  }

  async get(scope: TenantScope, id: string): Promise<MsgappCallRow | null> {
    const rows = withinTenant(this.#storage.db, scope).selectFrom('msgapp_calls').selectAll();
    return (await rows.where('id', '=', id).executeTakeFirst()) ?? null;
  }

  async list(
    scope: TenantScope,
    query: PageQuery & { readonly state?: MsgappCallRow['state'] | undefined },
    after: PageEnd | null,
  ): Promise<MsgappCallRow[]> {
    let rows = withinTenant(this.#storage.db, scope).selectFrom('msgapp_calls').selectAll();
    if (query.state !== undefined) rows = rows.where('state', '=', query.state);
    return await newestFirst(rows, query, after).execute();
  }
}
