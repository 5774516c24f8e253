import type { Reach } from '../access/contract.ts';
import type { Holding, Holds, Person, Removed } from '../privacy/contract.ts';
import { type Storage, within } from '../storage/index.ts';

/** What judged calls hold of persons: their number, their words, and how their greeting sounds. A person is known by the
 * customer's own name for them, where the stream brought one, or by the number that was called. */
export class JudgedCallsOfPersons implements Holding {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async personsOf(reach: Reach): Promise<readonly string[]> {
    const named = async (column: 'external_id' | 'called'): Promise<string[]> => {
      const rows = await this.#within(reach)
        .select(column)
        .distinct()
        .where(column, 'is not', null)
        .execute();
      return rows.map((row) => (row as Record<string, string>)[column]!);
    };
    return [...new Set([...(await named('external_id')), ...(await named('called'))])];
  }

  async has(reach: Reach, record: string): Promise<boolean> {
    const row = await this.#within(reach).select('id').where('id', '=', record).executeTakeFirst();
    return row !== undefined;
  }

  async erase(reach: Reach, { externalId, until }: Person, holds: Holds): Promise<Removed> {
    const rows = await this.#within(reach)
      .select(['id', 'transcript'])
      .where(({ eb, or }) => or([eb('external_id', '=', externalId), eb('called', '=', externalId)]))
      .where('created_at', '<=', until)
      .execute();
    const ids = rows.map(({ id }) => id);
    const held = await holds.among(reach, ids);
    const gone = rows.filter(({ id }) => !held.has(id));
    for (const { id } of gone) {
      await within(this.#storage.db, reach).deleteFrom('amd_calls').where('id', '=', id).execute();
    }
    const transcripts = gone.filter(({ transcript }) => transcript !== null).length;
    return {
      counts: { amd_calls: gone.length, transcripts },
      records: gone.map(({ id }) => id),
      held: [...held],
    };
  }

  #within(reach: Reach) {
    return within(this.#storage.db, reach).selectFrom('amd_calls');
  }
}
