import type { Reach } from '../access/contract.ts';
import type { Holding, Holds, Person, Removed } from '../privacy/contract.ts';
import { type Storage, within } from '../storage/index.ts';

/** What imports hold of persons: who called whom, and where the recording lies. They are known by their number. */
export class ImportedCallsOfPersons implements Holding {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async personsOf(reach: Reach): Promise<readonly string[]> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('imported_calls')
      .select('external_id')
      .distinct()
      .where('external_id', 'is not', null)
      .execute();
    return rows.map((row) => row.external_id as string);
  }

  async has(reach: Reach, record: string): Promise<boolean> {
    const row = await within(this.#storage.db, reach)
      .selectFrom('imported_calls')
      .select('id')
      .where('id', '=', record)
      .executeTakeFirst();
    return row !== undefined;
  }

  async erase(reach: Reach, { externalId, until }: Person, holds: Holds): Promise<Removed> {
    const own = within(this.#storage.db, reach);
    const rows = await own
      .selectFrom('imported_calls')
      .select('id')
      .where('external_id', '=', externalId)
      .where('created_at', '<=', until)
      .execute();
    const ids = rows.map(({ id }) => id);
    const held = await holds.among(reach, ids);
    const gone = ids.filter((id) => !held.has(id));
    for (const id of gone) await own.deleteFrom('imported_calls').where('id', '=', id).execute();
    return { counts: { imported_calls: gone.length }, records: gone, held: [...held] };
  }
}
