import { type Holding, holdingOf } from '../../foundation/privacy/index.ts';
import { type Blobs, type Storage, within } from '../../foundation/storage/index.ts';
import type { TranscriptionJobs } from './service.ts';
import { BLOB_AREA } from './service.ts';

/** What jobs hold of persons: their audio, what was said in it and what was found there. */
export const jobsOfPersons = (
  storage: Storage,
  blobs: Blobs,
  jobs: Pick<TranscriptionJobs, 'remove'>,
): Holding =>
  holdingOf(storage, {
    table: 'transcription_jobs',
    counted: 'jobs',
    answered: true,
    remove: async (reach, id) => {
      const recordings = (await blobs.list(BLOB_AREA, id)).length;
      const job = await within(storage.db, reach)
        .selectFrom('transcription_jobs')
        .select('pii_count')
        .where('id', '=', id)
        .executeTakeFirst();
      await jobs.remove(reach, id);
      return { recordings, findings: job?.pii_count ?? 0 };
    },
  });
