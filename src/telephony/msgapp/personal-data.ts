import { forgetCallIfEmpty } from '../../conversation/calls/index.ts';
import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';

export const msgappPersonalData = (storage: Storage): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'msgapp_calls',
    counted: 'msgapp_calls',
    named: ['from_number', 'to_number'],
    others: { msgapp_permissions: 'phone_number' },
    remove: async (scope, id) => {
      const leg = withinTenant(storage.db, scope).deleteFrom('msgapp_calls').where('id', '=', id);
      const row = await leg.returning('call_id').executeTakeFirst();
      await forgetCallIfEmpty(storage.db, scope, row?.call_id ?? null);
      return {};
    },
  });
