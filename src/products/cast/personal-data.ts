import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { CastProjects } from './projects.ts';
import type { Renders } from './renders.ts';

/** Casts hold projects with a person's words under the customer's own name for them, and all their renders. */
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
    remove: async (scope, id) => {
      await projects.remove(scope, id, (trx) => renders.removeAll(trx, scope, id));
      return {};
    },
  });
