import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { CastProjects } from './projects.ts';
import type { Renders } from './renders.ts';

/** What casts hold of persons: projects of their words, by the customer's own name for them, with all that was rendered. */
export const castPersonalData = (
  storage: Storage,
  projects: CastProjects,
  renders: Renders,
): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'cast_projects',
    counted: 'casts',
    records: { cast_renders: 'cast_id' },
    answered: true,
    remove: async (reach, id) => {
      await projects.remove(reach, id, (trx) => renders.removeAll(trx, reach, id));
      return {};
    },
  });
