import type { Reach } from '../access/contract.ts';
import type { Holding, Holds, Person, Removed } from '../privacy/contract.ts';
import { type Blobs, type Storage, within } from '../storage/index.ts';
import { BLOB_AREA } from './places.ts';
import type { DubJobs } from './service.ts';

/** What dubs hold of persons: their voice, their words, and voices made like theirs. */
export class DubsOfPersons implements Holding {
  readonly #storage: Storage;
  readonly #blobs: Blobs;
  readonly #jobs: Pick<DubJobs, 'remove'>;

  constructor(storage: Storage, blobs: Blobs, jobs: Pick<DubJobs, 'remove'>) {
    this.#storage = storage;
    this.#blobs = blobs;
    this.#jobs = jobs;
  }

  async personsOf(reach: Reach): Promise<readonly string[]> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('dub_jobs')
      .select('external_id')
      .distinct()
      .where('external_id', 'is not', null)
      .execute();
    return rows.map((row) => row.external_id as string);
  }

  async has(reach: Reach, record: string): Promise<boolean> {
    const row = await within(this.#storage.db, reach)
      .selectFrom('dub_jobs')
      .select('id')
      .where('id', '=', record)
      .executeTakeFirst();
    return row !== undefined;
  }

  async erase(reach: Reach, { externalId, until }: Person, holds: Holds): Promise<Removed> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('dub_jobs')
      .select('id')
      .where('external_id', '=', externalId)
      .where('created_at', '<=', until)
      .execute();
    const ids = rows.map(({ id }) => id);
    const held = await holds.among(reach, ids);
    const gone = ids.filter((id) => !held.has(id));
    let recordings = 0;
    for (const id of gone) {
      recordings += (await this.#blobs.list(BLOB_AREA, id)).length;
      await within(this.#storage.db, reach)
        .deleteFrom('idempotent_answers')
        .where('answer', 'like', `%${id}%`)
        .execute();
      await this.#jobs.remove(reach, id);
    }
    return { counts: { dubs: gone.length, recordings }, records: gone, held: [...held] };
  }
}
