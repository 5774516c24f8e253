import type { Kysely } from 'kysely';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import { type Tables, withinTenant } from '../../../foundation/storage/index.ts';
import type { ComplianceEventRow } from '../../../foundation/storage/tables/compliance.ts';
import type { CaseState } from '../contract.ts';
import { withoutPersonal } from '../masking.ts';

export interface Actor {
  readonly kind: string;
  readonly id: string;
}
export const WORKER: Actor = { kind: 'system', id: 'trunkline' };

/** A note never contains a value. */
export interface TimelineNote {
  readonly type: string;
  readonly by: Actor;
  readonly reason?: string | null;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface StateTransition {
  readonly from: CaseState;
  readonly to: CaseState;
}

/** Each version of a case has one timeline entry, and each change makes a version. */
export async function appendTimeline(
  db: Kysely<Tables>,
  scope: TenantScope,
  id: string,
  version: number,
  at: number,
  { type, by, reason = null, detail = {} }: TimelineNote,
  move: StateTransition | null = null,
): Promise<void> {
  await withinTenant(db, scope)
    .insertInto('compliance_events', {
      case_id: id,
      version,
      type,
      from_state: move?.from ?? null,
      to_state: move?.to ?? null,
      actor_kind: by.kind,
      actor_id: by.id,
      reason: reason === null ? null : withoutPersonal(reason),
      detail: JSON.stringify(detail),
      at,
    })
    .execute();
}

export const timelineOf = async (
  db: Kysely<Tables>,
  scope: TenantScope,
  id: string,
): Promise<ComplianceEventRow[]> =>
  await withinTenant(db, scope)
    .selectFrom('compliance_events')
    .selectAll()
    .where('case_id', '=', id)
    .orderBy('version')
    .execute();
