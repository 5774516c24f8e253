import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { acrossTenants, newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { MessageRow } from '../../foundation/storage/tables/messages.ts';
import type { FailureCode, MessageFilter, NewMessage } from './contract.ts';
import type { Pair } from './opt-outs.ts';

type State = Pick<MessageRow, 'status'> & { readonly failure_code: FailureCode | null };

export class MessageStore {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** Returns null for a duplicate. */
  async add(
    trx: Trx,
    scope: TenantScope,
    message: NewMessage,
    more: State &
      Pick<MessageRow, 'direction' | 'reference'> &
      Partial<Pick<MessageRow, 'id' | 'answers_id'>>,
  ): Promise<MessageRow | null> {
    const now = this.#clock.now();
    const row = await withinTenant(trx, scope)
      .insertInto('messages', {
        id: newId('msg'),
        from_number: message.from,
        to_number: message.to,
        body: message.body,
        media_urls: JSON.stringify(message.mediaUrls),
        campaign_id: message.campaignId,
        external_id: more.direction === 'inbound' ? message.from : message.to,
        answers_id: null,
        ...more,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.column('reference').doNothing())
      .returningAll()
      .executeTakeFirst();
    return row ?? null;
  }

  async find(scope: TenantScope, id: string): Promise<MessageRow | null> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('messages')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row ?? null;
  }

  async between(scope: TenantScope, { ours, theirs }: Pair, most: number): Promise<MessageRow[]> {
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('messages')
      .selectAll()
      .where('external_id', '=', theirs)
      .where(({ eb, or }) => or([eb('from_number', '=', ours), eb('to_number', '=', ours)]))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(most)
      .execute();
    return rows.reverse();
  }

  async answersSince(scope: TenantScope, { ours, theirs }: Pair, since: number): Promise<number> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('messages')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('external_id', '=', theirs)
      .where('from_number', '=', ours)
      .where('answers_id', 'is not', null)
      .where('created_at', '>', since)
      .executeTakeFirst();
    return Number(row?.count ?? 0);
  }

  /** Searches all tenants: the network's reports and the send queue know only the id. */
  async byId(id: string, db: Trx | null = null): Promise<MessageRow | null> {
    const row = await acrossTenants(db ?? this.#storage.db)
      .selectFrom('messages')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row ?? null;
  }

  /**
   * Changes the state only from one of the given states, so that a late or repeated report changes nothing. Returns
   * null when nothing changed.
   */
  async move(
    trx: Trx,
    scope: TenantScope,
    id: string,
    from: readonly MessageRow['status'][],
    to: State,
  ): Promise<MessageRow | null> {
    const row = await withinTenant(trx, scope)
      .updateTable('messages')
      .set({ ...to, updated_at: this.#clock.now() })
      .where('id', '=', id)
      .where('status', 'in', [...from])
      .returningAll()
      .executeTakeFirst();
    return row ?? null;
  }

  /** Returns up to one more than the page, newest first. */
  async list(
    scope: TenantScope,
    filter: MessageFilter,
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<MessageRow[]> {
    let rows = withinTenant(this.#storage.db, scope).selectFrom('messages').selectAll();
    if (filter.from !== undefined) rows = rows.where('from_number', '=', filter.from);
    if (filter.to !== undefined) rows = rows.where('to_number', '=', filter.to);
    if (filter.direction !== undefined) rows = rows.where('direction', '=', filter.direction);
    if (filter.status !== undefined) rows = rows.where('status', '=', filter.status as MessageRow['status']);
    if (filter.campaign_id !== undefined) rows = rows.where('campaign_id', '=', filter.campaign_id);
    return await newestFirst(rows, query, start).execute();
  }
}
