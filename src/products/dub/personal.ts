import { type Holding, holdingOf } from '../../foundation/privacy/index.ts';
import type { Blobs, Storage } from '../../foundation/storage/index.ts';
import { BLOB_AREA } from './places.ts';
import type { DubJobs } from './service.ts';

/** What dubs hold of persons: their voice, their words, and voices made like theirs. */
export const dubsOfPersons = (storage: Storage, blobs: Blobs, jobs: Pick<DubJobs, 'remove'>): Holding =>
  holdingOf(storage, {
    table: 'dub_jobs',
    counted: 'dubs',
    answered: true,
    remove: async (reach, id) => {
      const recordings = (await blobs.list(BLOB_AREA, id)).length;
      await jobs.remove(reach, id);
      return { recordings };
    },
  });
