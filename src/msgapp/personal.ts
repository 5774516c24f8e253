import type { Reach } from '../access/contract.ts';
import type { Holding, Holds, Person, Removed } from '../privacy/contract.ts';
import { type Storage, within } from '../storage/index.ts';

/** What calls by messaging apps hold of persons: their numbers, and what they permitted. A person is known by their number. */
export class CallsByMessagingOfPersons implements Holding {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async personsOf(reach: Reach): Promise<readonly string[]> {
    const rows = await this.#calls(reach).select(['direction', 'from_number', 'to_number']).execute();
    const asked = await within(this.#storage.db, reach)
      .selectFrom('msgapp_permissions')
      .select('phone_number')
      .execute();
    const called = rows.map((row) => (row.direction === 'inbound' ? row.from_number : row.to_number));
    return [...new Set([...called, ...asked.map(({ phone_number }) => phone_number)])];
  }

  async has(reach: Reach, record: string): Promise<boolean> {
    const row = await this.#calls(reach).select('id').where('id', '=', record).executeTakeFirst();
    return row !== undefined;
  }

  async erase(reach: Reach, { externalId, until }: Person, holds: Holds): Promise<Removed> {
    const rows = await this.#calls(reach)
      .select('id')
      .where(({ eb, or }) => or([eb('from_number', '=', externalId), eb('to_number', '=', externalId)]))
      .where('created_at', '<=', until)
      .execute();
    const held = await holds.among(
      reach,
      rows.map(({ id }) => id),
    );
    const gone = rows.map(({ id }) => id).filter((id) => !held.has(id));
    const door = within(this.#storage.db, reach);
    for (const id of gone) await door.deleteFrom('msgapp_calls').where('id', '=', id).execute();
    const permissions = await door
      .deleteFrom('msgapp_permissions')
      .where('phone_number', '=', externalId)
      .executeTakeFirst();
    const counts = { msgapp_calls: gone.length, msgapp_permissions: Number(permissions.numDeletedRows) };
    return { counts, records: gone, held: [...held] };
  }

  #calls(reach: Reach) {
    return within(this.#storage.db, reach).selectFrom('msgapp_calls');
  }
}
