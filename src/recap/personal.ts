import type { Reach } from '../access/contract.ts';
import type { Holding, Holds, Person, Removed } from '../privacy/contract.ts';
import { type Storage, within } from '../storage/index.ts';

/** What Recap holds of persons: records of their calls, with what was said. */
export class RecapsOfPersons implements Holding {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async personsOf(reach: Reach): Promise<readonly string[]> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('recap_calls')
      .select('external_id')
      .distinct()
      .where('external_id', 'is not', null)
      .execute();
    return rows.map((row) => row.external_id as string);
  }

  async has(reach: Reach, record: string): Promise<boolean> {
    const row = await within(this.#storage.db, reach)
      .selectFrom('recap_calls')
      .select('id')
      .where('id', '=', record)
      .executeTakeFirst();
    return row !== undefined;
  }

  async erase(reach: Reach, { externalId, until }: Person, holds: Holds): Promise<Removed> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('recap_calls')
      .select('id')
      .where('external_id', '=', externalId)
      .where('created_at', '<=', until)
      .execute();
    const ids = rows.map(({ id }) => id);
    const held = await holds.among(reach, ids);
    const gone = ids.filter((id) => !held.has(id));
    await this.#storage.transaction(async (trx) => {
      const own = within(trx, reach);
      for (const id of gone) {
        await own.deleteFrom('recap_scores').where('recap_id', '=', id).execute();
        await own.deleteFrom('recap_calls').where('id', '=', id).execute();
      }
    });
    return { counts: { recaps: gone.length }, records: gone, held: [...held] };
  }
}
