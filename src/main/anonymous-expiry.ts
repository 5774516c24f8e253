import { SYSTEM_ACTOR } from '../foundation/audit/index.ts';
import { AnonymousExpiry, type RecordCleanup } from '../foundation/privacy/index.ts';
import { type PhoneNumberService, releaseAllNumbers } from '../telephony/dialling/index.ts';
import type { CoreServices } from './main.ts';

/**
 * Expired organizations and deleted projects first return their telephone numbers to the carrier. `numbers` is null
 * where none is configured.
 */
export const openAnonymousExpiry = (
  { storage, blobs, sharedClock: clock, background, log }: CoreServices,
  trails: readonly RecordCleanup[],
  numbers: PhoneNumberService | null,
): AnonymousExpiry =>
  new AnonymousExpiry({
    storage,
    blobs,
    clock,
    background,
    log,
    cleanups: trails,
    releaseNumbers: (orgId, projectId) =>
      releaseAllNumbers({ storage, numbers }, orgId, SYSTEM_ACTOR, projectId),
  });
