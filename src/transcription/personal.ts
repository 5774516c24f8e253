import type { Reach } from '../access/contract.ts';
import type { Holding, Holds, Person, Removed } from '../privacy/contract.ts';
import { type Blobs, type Storage, within } from '../storage/index.ts';
import type { TranscriptionJobs } from './service.ts';
import { BLOB_AREA } from './service.ts';

/** What jobs hold of persons: their audio, what was said in it and what was found there. */
export class JobsOfPersons implements Holding {
  readonly #storage: Storage;
  readonly #blobs: Blobs;
  readonly #jobs: Pick<TranscriptionJobs, 'remove'>;

  constructor(storage: Storage, blobs: Blobs, jobs: Pick<TranscriptionJobs, 'remove'>) {
    this.#storage = storage;
    this.#blobs = blobs;
    this.#jobs = jobs;
  }

  async personsOf(reach: Reach): Promise<readonly string[]> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('transcription_jobs')
      .select('external_id')
      .distinct()
      .where('external_id', 'is not', null)
      .execute();
    return rows.map((row) => row.external_id as string);
  }

  async has(reach: Reach, record: string): Promise<boolean> {
    const row = await within(this.#storage.db, reach)
      .selectFrom('transcription_jobs')
      .select('id')
      .where('id', '=', record)
      .executeTakeFirst();
    return row !== undefined;
  }

  async erase(reach: Reach, { externalId, until }: Person, holds: Holds): Promise<Removed> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('transcription_jobs')
      .select(['id', 'pii_count'])
      .where('external_id', '=', externalId)
      .where('created_at', '<=', until)
      .execute();
    const held = await holds.among(
      reach,
      rows.map(({ id }) => id),
    );
    const gone = rows.filter(({ id }) => !held.has(id));
    let recordings = 0;
    let findings = 0;
    for (const { id, pii_count } of gone) {
      recordings += (await this.#blobs.list(BLOB_AREA, id)).length;
      findings += pii_count ?? 0;
      await within(this.#storage.db, reach)
        .deleteFrom('idempotent_answers')
        .where('answer', 'like', `%${id}%`)
        .execute();
      await this.#jobs.remove(reach, id);
    }
    return {
      counts: { jobs: gone.length, recordings, findings },
      records: gone.map(({ id }) => id),
      held: [...held],
    };
  }
}
