import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Blobs, Storage } from '../../foundation/storage/index.ts';
import type { DubJobs } from './dub-jobs.ts';
import { BLOB_AREA } from './keys-and-queues.ts';

/** Dubs hold a person's voice and words, and voices that were fitted to theirs. */
export const dubPersonalData = (
  storage: Storage,
  blobs: Blobs,
  jobs: Pick<DubJobs, 'remove'>,
): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'dub_jobs',
    counted: 'dubs',
    answered: true,
    remove: async (scope, id) => {
      const recordings = (await blobs.list(BLOB_AREA, id)).length;
      await jobs.remove(scope, id);
      return { recordings };
    },
  });
