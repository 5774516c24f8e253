import { forgetCallIfEmpty } from '../../conversation/calls/index.ts';
import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import { type Blobs, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { DROP_AREA } from './voicemail-drops.ts';

export const telephonyPersonalData = (
  storage: Storage,
  blobs: Pick<Blobs, 'deleteOwner'>,
): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'telephony_calls',
    counted: 'telephony_calls',
    named: ['to_number', 'from_number'],
    whereEnded: ['state', '=', 'ended'],
    others: { telephony_targets: 'to_number' },
    remove: async (scope, id) => {
      await blobs.deleteOwner(DROP_AREA, id);
      const leg = withinTenant(storage.db, scope).deleteFrom('telephony_calls').where('id', '=', id);
      const row = await leg.returning('call_id').executeTakeFirst();
      await forgetCallIfEmpty(storage.db, scope, row?.call_id ?? null);
      return {};
    },
  });
