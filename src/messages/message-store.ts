import type { Reach } from '../access/contract.ts';
import type { Trx } from '../jobs/index.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { PageEnd, PageQuery } from '../platform/pages.ts';
import { acrossBorders, newestFirst, type Storage, within } from '../storage/index.ts';
import type { MessageRow } from '../storage/tables/messages.ts';
import type { FailureCode, MessageFilter, NewMessage } from './contract.ts';

type State = Pick<MessageRow, 'status'> & { readonly failure_code: FailureCode | null };

/** Messages, inside the borders of whose they are. */
export class MessageStore {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** Null: what came in was here before. */
  async add(
    trx: Trx,
    reach: Reach,
    message: NewMessage,
    more: State & Pick<MessageRow, 'direction' | 'reference'>,
  ): Promise<MessageRow | null> {
    const now = this.#clock.now();
    const row = await within(trx, reach)
      .insertInto('messages', {
        id: newId('msg'),
        from_number: message.from,
        to_number: message.to,
        body: message.body,
        media_urls: JSON.stringify(message.mediaUrls),
        campaign_id: message.campaignId,
        external_id: more.direction === 'inbound' ? message.from : message.to,
        ...more,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.column('reference').doNothing())
      .returningAll()
      .executeTakeFirst();
    return row ?? null;
  }

  async find(reach: Reach, id: string): Promise<MessageRow | null> {
    const row = await within(this.#storage.db, reach)
      .selectFrom('messages')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row ?? null;
  }

  /** For a network that reports of a message, and the hand that sends it. */
  async byId(id: string): Promise<MessageRow | null> {
    const row = await acrossBorders(this.#storage.db)
      .selectFrom('messages')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row ?? null;
  }

  /** Only from one of these states: a report that comes late or twice changes nothing. Null: nothing changed. */
  async move(
    trx: Trx,
    reach: Reach,
    id: string,
    from: readonly MessageRow['status'][],
    to: State,
  ): Promise<MessageRow | null> {
    const row = await within(trx, reach)
      .updateTable('messages')
      .set({ ...to, updated_at: this.#clock.now() })
      .where('id', '=', id)
      .where('status', 'in', [...from])
      .returningAll()
      .executeTakeFirst();
    return row ?? null;
  }

  /** One more than the page, newest first. */
  async list(
    reach: Reach,
    filter: MessageFilter,
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<MessageRow[]> {
    let rows = within(this.#storage.db, reach).selectFrom('messages').selectAll();
    if (filter.from !== undefined) rows = rows.where('from_number', '=', filter.from);
    if (filter.to !== undefined) rows = rows.where('to_number', '=', filter.to);
    if (filter.direction !== undefined) rows = rows.where('direction', '=', filter.direction);
    if (filter.status !== undefined) rows = rows.where('status', '=', filter.status as MessageRow['status']);
    if (filter.campaign_id !== undefined) rows = rows.where('campaign_id', '=', filter.campaign_id);
    return await newestFirst(rows, query, start).execute();
  }
}
