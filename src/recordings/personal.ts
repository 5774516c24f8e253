import type { Reach } from '../access/contract.ts';
import type { Holding, Holds, Person, Removed } from '../privacy/contract.ts';
import { type Storage, within } from '../storage/index.ts';
import type { Recordings } from './recordings.ts';

/** What recordings hold of persons: their voices. */
export class RecordingsOfPersons implements Holding {
  readonly #storage: Storage;
  readonly #recordings: Pick<Recordings, 'forget'>;

  constructor(storage: Storage, recordings: Pick<Recordings, 'forget'>) {
    this.#storage = storage;
    this.#recordings = recordings;
  }

  async personsOf(reach: Reach): Promise<readonly string[]> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('call_recordings')
      .select('external_id')
      .distinct()
      .where('external_id', 'is not', null)
      .execute();
    return rows.map((row) => row.external_id as string);
  }

  /** A recording has its call's id, and is held with it. */
  async has(): Promise<boolean> {
    return false;
  }

  async erase(reach: Reach, { externalId, until }: Person, holds: Holds): Promise<Removed> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('call_recordings')
      .select('id')
      .where('external_id', '=', externalId)
      .where('created_at', '<=', until)
      .execute();
    const ids = rows.map(({ id }) => id);
    const held = await holds.among(reach, ids);
    let recordings = 0;
    for (const id of ids.filter((one) => !held.has(one)))
      recordings += await this.#recordings.forget(reach, id);
    return { counts: { recordings }, records: [], held: [...held] };
  }
}
