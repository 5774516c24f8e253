import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import { type Blobs, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { TranscriptionJobs } from './transcription-jobs.ts';
import { BLOB_AREA } from './transcription-jobs.ts';

export const transcriptionPersonalData = (
  storage: Storage,
  blobs: Blobs,
  jobs: Pick<TranscriptionJobs, 'remove'>,
): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'transcription_jobs',
    counted: 'jobs',
    answered: true,
    remove: async (scope, id) => {
      const recordings = (await blobs.list(BLOB_AREA, id)).length;
      const job = await withinTenant(storage.db, scope)
        .selectFrom('transcription_jobs')
        .select('pii_count')
        .where('id', '=', id)
        .executeTakeFirst();
      await jobs.remove(scope, id);
      return { recordings, findings: job?.pii_count ?? 0 };
    },
  });
