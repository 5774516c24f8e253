import type { LaneKind } from '../contract.ts';

/** The lane returns its input, to measure the engine's latency and to test a client. */
export const loopbackLane: LaneKind<void, never> = {
  name: 'loopback',
  flatten: () => ({}),
  decode(type) {
    throw new RangeError(`expected no event of a loopback lane, received type ${type}`);
  },
};
