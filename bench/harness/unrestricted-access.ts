import type { AccessControl } from '../../src/foundation/access/contract.ts';

/** Admits every request: the benchmark is about frames or bytes, and not about keys. */
export const unrestrictedAccess: AccessControl = {
  authorize: async () => ({ principal: null, headers: {} }),
  admit: async () => ({
    reservationId: null,
    release: async () => {},
    settling: () => {},
    handOver: () => {},
    recheck: async () => Number.POSITIVE_INFINITY,
  }),
  confirm: async () => {},
  restore: async () => {},
  watchRevocation: () => () => {},
  allowsOrigin: async () => false,
};
