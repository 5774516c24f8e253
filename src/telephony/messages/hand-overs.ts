import type { Kysely } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import {
  type AuditActor,
  appendAuditRecord,
  auditScope,
  SYSTEM_ACTOR,
} from '../../foundation/audit/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, type Storage, type Tables, withinTenant } from '../../foundation/storage/index.ts';
import type { MessageHandOverRow } from '../../foundation/storage/tables/messages.ts';
import type { HandOverOrder, HandOverView } from './contract.ts';
import type { Pair } from './opt-outs.ts';

/** Conversations that wait for a human, or that a human holds. The agent writes nothing meanwhile. */
export class HandOvers {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** Returns null when the conversation was handed over before. */
  async add(
    trx: Trx,
    scope: TenantScope,
    { ours, theirs }: Pair,
    { agentId, to, summary, messageId }: HandOverOrder & { readonly messageId: string | null },
    by: AuditActor = SYSTEM_ACTOR,
  ): Promise<MessageHandOverRow | null> {
    const row = await withinTenant(trx, scope)
      .insertInto('message_hand_overs', {
        id: newId('mho'),
        our_number: ours,
        external_id: theirs,
        agent_id: agentId,
        wanted: to,
        summary,
        message_id: messageId,
        created_at: this.#clock.now(),
      })
      .onConflict((conflict) =>
        conflict.columns(['org_id', 'project_id', 'environment', 'our_number', 'external_id']).doNothing(),
      )
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return null;
    await this.#note(trx, scope, row, 'message.handed_over', by);
    return row;
  }

  async of(
    db: Kysely<Tables>,
    scope: TenantScope,
    { ours, theirs }: Pair,
  ): Promise<MessageHandOverRow | null> {
    const row = await withinTenant(db, scope)
      .selectFrom('message_hand_overs')
      .selectAll()
      .where('our_number', '=', ours)
      .where('external_id', '=', theirs)
      .executeTakeFirst();
    return row ?? null;
  }

  /** Returns up to one more than the page, newest first. */
  async list(scope: TenantScope, query: PageQuery, start: PageEnd | null): Promise<MessageHandOverRow[]> {
    const rows = withinTenant(this.#storage.db, scope).selectFrom('message_hand_overs').selectAll();
    return await newestFirst(rows, query, start).execute();
  }

  async giveBack(scope: TenantScope, id: string, by: AuditActor): Promise<boolean> {
    return await this.#storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .deleteFrom('message_hand_overs')
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return false;
      await this.#note(trx, scope, row, 'message.given_back', by);
      return true;
    });
  }

  /** The audit log omits what the person wrote. */
  async #note(
    trx: Trx,
    scope: TenantScope,
    row: MessageHandOverRow,
    action: string,
    by: AuditActor,
  ): Promise<void> {
    const data = { agent_id: row.agent_id, message_id: row.message_id };
    const over = action === 'message.handed_over';
    await appendAuditRecord(trx, this.#clock.now(), {
      ...auditScope(scope),
      by,
      action,
      target: row.id,
      before: over ? null : data,
      after: over ? data : null,
    });
  }
}

export const handOverView = (row: MessageHandOverRow): HandOverView => ({
  id: row.id,
  object: 'message.hand_over',
  number: row.our_number,
  person: row.external_id,
  agent_id: row.agent_id,
  to: row.wanted,
  summary: row.summary,
  message_id: row.message_id,
  created_at: new Date(Number(row.created_at)).toISOString(),
});
