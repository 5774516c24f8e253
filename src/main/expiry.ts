import { SYSTEM } from '../foundation/audit/index.ts';
import { AnonymousExpiry, type Trail } from '../foundation/privacy/index.ts';
import type { NumberDesk } from '../telephony/dialling/index.ts';
import type { Rooms } from './main.ts';

/** Organizations that expire, and projects that are deleted, give their telephone numbers back to the carrier first. `numbers` null: there is no carrier. */
export const openExpiry = (
  { storage, blobs, sharedClock: clock, log }: Rooms,
  trails: readonly Trail[],
  numbers: NumberDesk | null,
): AnonymousExpiry =>
  new AnonymousExpiry({
    storage,
    blobs,
    clock,
    log,
    trails,
    giveBack: async (orgId, projectId) => await numbers?.releaseAllOf(orgId, SYSTEM, projectId),
  });
