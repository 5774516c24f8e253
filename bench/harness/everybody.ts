import type { Access } from '../../src/foundation/access/contract.ts';

/** Lets everybody in: where a benchmark is about frames or bytes, and not about keys. */
export const everybody: Access = {
  authorize: async () => ({ principal: null, headers: {} }),
  admit: async () => ({
    hold: null,
    release: async () => {},
    settling: () => {},
    handOver: () => {},
    recheck: async () => Number.POSITIVE_INFINITY,
  }),
  confirm: async () => {},
  restore: async () => {},
  watch: () => () => {},
  allowsOrigin: async () => false,
};
