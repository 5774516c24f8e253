import type { Reach } from '../access/contract.ts';
import type { Holding, Holds, Person, Removed } from '../privacy/contract.ts';
import { type Storage, within } from '../storage/index.ts';

/** What calls hold of persons: the records, with all that was said in them. */
export class CallsOfPersons implements Holding {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async personsOf(reach: Reach): Promise<readonly string[]> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('omni_calls')
      .select('external_id')
      .distinct()
      .where('external_id', 'is not', null)
      .execute();
    return rows.map((row) => row.external_id as string);
  }

  async has(reach: Reach, record: string): Promise<boolean> {
    const row = await within(this.#storage.db, reach)
      .selectFrom('omni_calls')
      .select('id')
      .where('id', '=', record)
      .executeTakeFirst();
    return row !== undefined;
  }

  async erase(reach: Reach, { externalId, until }: Person, holds: Holds): Promise<Removed> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('omni_calls')
      .select(['id', 'transcript'])
      .where('external_id', '=', externalId)
      .where('started_at', '<=', until)
      .where('status', '!=', 'live')
      .execute();
    const held = await holds.among(
      reach,
      rows.map(({ id }) => id),
    );
    const gone = rows.filter(({ id }) => !held.has(id));
    for (const { id } of gone) {
      await within(this.#storage.db, reach).deleteFrom('omni_calls').where('id', '=', id).execute();
    }
    const transcripts = gone.filter(({ transcript }) => transcript !== null).length;
    return {
      counts: { calls: gone.length, transcripts },
      records: gone.map(({ id }) => id),
      held: [...held],
    };
  }
}
