import { SYSTEM_ACTOR } from '../foundation/audit/index.ts';
import { AnonymousExpiry, type RecordCleanup } from '../foundation/privacy/index.ts';
import { type PhoneNumberService, releaseAllNumbers } from '../telephony/dialling/index.ts';
import type { CoreServices } from './main.ts';

/** Organizations that expire, and projects that are deleted, give their telephone numbers back to the carrier first. `numbers` null: there is no carrier now. */
export const openAnonymousExpiry = (
  { storage, blobs, sharedClock: clock, log }: CoreServices,
  trails: readonly RecordCleanup[],
  numbers: PhoneNumberService | null,
): AnonymousExpiry =>
  new AnonymousExpiry({
    storage,
    blobs,
    clock,
    log,
    cleanups: trails,
    releaseNumbers: (orgId, projectId) =>
      releaseAllNumbers({ storage, numbers }, orgId, SYSTEM_ACTOR, projectId),
  });
