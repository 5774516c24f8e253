import { forgetCallIfEmpty } from '../../conversation/calls/index.ts';
import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';

/**
 * Judged calls hold the number, the words and the acoustic features of a greeting. A person is known by the
 * customer's own name for them, or by the number that was called.
 */
export const amdPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'amd_calls',
    counted: 'amd_calls',
    named: ['external_id', 'called'],
    kinds: { transcripts: ['transcript'] },
    remove: async (scope, id) => {
      const detection = withinTenant(storage.db, scope).deleteFrom('amd_calls').where('id', '=', id);
      const row = await detection.returning('call_id').executeTakeFirst();
      await forgetCallIfEmpty(storage.db, scope, row?.call_id ?? null);
      return {};
    },
  });
