import type { Kysely, Transaction } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { isOwnerGone, type Tables, withinTenant } from '../../foundation/storage/index.ts';
import type { CallRow } from '../../foundation/storage/tables/calls.ts';
import { type CallEvent, type CallState, columnsOfState, stateOfRow, transition } from './lifecycle.ts';

/** Each write runs in the transaction that writes the leg, the session or the detection concerned. */

type Trx = Transaction<Tables>;

const LIVE_STATES: ReadonlySet<string> = new Set(['queued', 'ringing', 'answered', 'live']);

/** A call gets the id of the leg or detection that starts it, with the prefix of calls. */
export const callIdOf = (partId: string): string => `ocl_${partId.slice(partId.indexOf('_') + 1)}`;

/** A leg, a session or a detection has at most one usage event, however often it ends. */
export const usageIdOf = (partId: string): string =>
  `use_${partId.startsWith('ocl_') ? partId : partId.slice(partId.indexOf('_') + 1)}`;

export interface NewCall {
  readonly id: string;
  readonly keyId: string | null;
  readonly kind: CallRow['kind'];
  readonly direction: CallRow['direction'];
  readonly state: Exclude<CallState, { kind: 'ended' }>;
  readonly nodeId: string | null;
  readonly createdAt: number;
}

export async function beginCall(trx: Trx, scope: TenantScope, call: NewCall): Promise<void> {
  await withinTenant(trx, scope)
    .insertInto('calls', {
      id: call.id,
      key_id: call.keyId,
      kind: call.kind,
      direction: call.direction,
      ...columnsOfState(call.state),
      node_id: call.nodeId,
      created_at: call.createdAt,
    })
    .execute();
}

export async function ownCall(trx: Trx, scope: TenantScope, id: string, nodeId: string): Promise<void> {
  await withinTenant(trx, scope).updateTable('calls').set({ node_id: nodeId }).where('id', '=', id).execute();
}

export async function ownerOfCall(
  db: Kysely<Tables>,
  scope: TenantScope,
  id: string | null,
): Promise<string | null> {
  if (id === null) return null;
  const row = await withinTenant(db, scope)
    .selectFrom('calls')
    .select('node_id')
    .where('id', '=', id)
    .where('state', '<>', 'ended')
    .where(({ not }) => not(isOwnerGone()))
    .executeTakeFirst();
  return row?.node_id ?? null;
}

export async function hasCall(db: Kysely<Tables>, scope: TenantScope, id: string): Promise<boolean> {
  const row = await withinTenant(db, scope)
    .selectFrom('calls')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

export async function advanceCall(
  trx: Trx,
  scope: TenantScope,
  id: string | null,
  event: CallEvent,
): Promise<boolean> {
  if (id === null) return false;
  for (;;) {
    const row = await withinTenant(trx, scope)
      .selectFrom('calls')
      .select(['state', 'answered_at', 'ended_at', 'end_reason', 'lost_at'])
      .where('id', '=', id)
      .executeTakeFirst();
    const next = row === undefined ? null : transition(stateOfRow(row), event);
    if (row === undefined || next === null) return false;
    const { numUpdatedRows } = await withinTenant(trx, scope)
      .updateTable('calls')
      .set(columnsOfState(next))
      .where('id', '=', id)
      .where('state', '=', row.state)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) return true;
  }
}

/**
 * Ends the call unless a leg or a session is live or was only marked as lost. The reason is that of the first leg, or
 * that of the session where the call has no legs.
 */
export async function endCallIfOver(
  trx: Trx,
  scope: TenantScope,
  id: string | null,
  at: number,
): Promise<void> {
  if (id === null) return;
  const parts = await partsOf(trx, scope, id);
  if (parts.some(({ isOver }) => !isOver)) return;
  await advanceCall(trx, scope, id, { kind: 'ended', at, reason: parts[0]?.end_reason ?? null });
}

async function partsOf(trx: Trx, scope: TenantScope, id: string) {
  const mine = withinTenant(trx, scope);
  const legs = async (table: 'telephony_calls' | 'msgapp_calls') =>
    await mine
      .selectFrom(table)
      .select(['state', 'end_reason', 'lost_at'])
      .where('call_id', '=', id)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  const sessions = await mine
    .selectFrom('omni_calls')
    .select(['status as state', 'end_reason', 'lost_at'])
    .where('call_id', '=', id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const parts = [...(await legs('telephony_calls')), ...(await legs('msgapp_calls')), ...sessions];
  return parts.map(({ state, end_reason, lost_at }) => ({
    end_reason,
    isOver: lost_at === null && !LIVE_STATES.has(state),
  }));
}

/** Marks the calls of these sessions as tests, except those that came from a carrier. */
export async function markTestCalls(
  trx: Trx,
  scope: TenantScope,
  sessionIds: readonly string[],
): Promise<void> {
  if (sessionIds.length === 0) return;
  const sessions = withinTenant(trx, scope).selectFrom('omni_calls').select('call_id');
  await withinTenant(trx, scope)
    .updateTable('calls')
    .set({ kind: 'test' })
    .where('kind', '=', 'browser')
    .where('id', 'in', sessions.where('id', 'in', [...sessionIds]))
    .execute();
}

export async function forgetCallIfEmpty(
  db: Kysely<Tables>,
  scope: TenantScope,
  id: string | null,
): Promise<void> {
  if (id === null) return;
  const mine = withinTenant(db, scope);
  for (const part of ['telephony_calls', 'msgapp_calls', 'omni_calls', 'amd_calls'] as const) {
    const redact = await mine
      .selectFrom(part)
      .select('id')
      .where('call_id', '=', id)
      .limit(1)
      .executeTakeFirst();
    if (redact !== undefined) return;
  }
  await mine.deleteFrom('calls').where('id', '=', id).execute();
}
