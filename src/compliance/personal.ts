import type { Reach } from '../access/contract.ts';
import type { JobQueue, Trx } from '../jobs/index.ts';
import type { Holding, Holds, Person, Removed } from '../privacy/contract.ts';
import { type Blobs, type Storage, within } from '../storage/index.ts';
import { clockId, extractId, networkId, scanId } from './running/orders.ts';
import { BLOB_AREA } from './uploads.ts';

const TABLES = [
  'compliance_events',
  'compliance_corrections',
  'compliance_extractions',
  'compliance_uploads',
] as const;

/** What compliance cases hold of persons: their documents, and what was read in them. */
export class CasesOfPersons implements Holding {
  readonly #storage: Storage;
  readonly #blobs: Blobs;
  readonly #queue: JobQueue;

  constructor(storage: Storage, blobs: Blobs, queue: JobQueue) {
    this.#storage = storage;
    this.#blobs = blobs;
    this.#queue = queue;
  }

  async personsOf(reach: Reach): Promise<readonly string[]> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('compliance_cases')
      .select('external_id')
      .distinct()
      .where('external_id', 'is not', null)
      .execute();
    return rows.flatMap(({ external_id }) => external_id ?? []);
  }

  async has(reach: Reach, record: string): Promise<boolean> {
    const row = await within(this.#storage.db, reach)
      .selectFrom('compliance_cases')
      .select('id')
      .where('id', '=', record)
      .executeTakeFirst();
    return row !== undefined;
  }

  async erase(reach: Reach, { externalId, until }: Person, holds: Holds): Promise<Removed> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('compliance_cases')
      .select('id')
      .where('external_id', '=', externalId)
      .where('created_at', '<=', until)
      .execute();
    const held = await holds.among(
      reach,
      rows.map(({ id }) => id),
    );
    const gone = rows.filter(({ id }) => !held.has(id));
    let documents = 0;
    for (const { id } of gone) {
      documents += await this.#storage.transaction((trx) => this.#remove(trx, reach, id));
      await this.#blobs.deleteOwner(BLOB_AREA, id);
    }
    return {
      counts: { compliance_cases: gone.length, compliance_documents: documents },
      records: gone.map(({ id }) => id),
      held: [...held],
    };
  }

  /** How many documents it had. */
  async #remove(trx: Trx, reach: Reach, id: string): Promise<number> {
    const mine = within(trx, reach);
    const uploads = await mine
      .selectFrom('compliance_uploads')
      .select('id')
      .where('case_id', '=', id)
      .execute();
    const extractions = await mine
      .selectFrom('compliance_extractions')
      .select('id')
      .where('case_id', '=', id)
      .execute();
    const jobs = [
      ...uploads.map((each) => scanId(each.id)),
      ...extractions.map((each) => extractId(each.id)),
      clockId(id),
      networkId(id),
    ];
    for (const job of jobs) await this.#queue.cancel(trx, job);
    for (const table of TABLES) await mine.deleteFrom(table).where('case_id', '=', id).execute();
    await mine.deleteFrom('compliance_cases').where('id', '=', id).execute();
    return uploads.length;
  }
}
