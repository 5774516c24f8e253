import type { Kysely } from 'kysely';
import type { Reach } from '../../../foundation/access/contract.ts';
import { type Tables, within } from '../../../foundation/storage/index.ts';
import type { ComplianceEventRow } from '../../../foundation/storage/tables/compliance.ts';
import type { State } from '../contract.ts';
import { withoutPersonal } from '../masking.ts';

/** Who did something, as the timeline tells it. */
export interface Actor {
  readonly kind: string;
  readonly id: string;
}
export const WORKER: Actor = { kind: 'system', id: 'trunkline' };

/** What is told of a change: a word, and what it was about, without any value. */
export interface Note {
  readonly type: string;
  readonly by: Actor;
  readonly reason?: string | null;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Move {
  readonly from: State;
  readonly to: State;
}

/** One line of the timeline: each version of a case has its own, and nothing changes without one. */
export async function tell(
  db: Kysely<Tables>,
  reach: Reach,
  id: string,
  version: number,
  at: number,
  { type, by, reason = null, detail = {} }: Note,
  move: Move | null = null,
): Promise<void> {
  await within(db, reach)
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
  reach: Reach,
  id: string,
): Promise<ComplianceEventRow[]> =>
  await within(db, reach)
    .selectFrom('compliance_events')
    .selectAll()
    .where('case_id', '=', id)
    .orderBy('version')
    .execute();
