import type { LaneKind } from '../contract.ts';

/** A lane that says what it hears: for measuring the way through the engine, and for trying a client. */
export const loopbackLane: LaneKind<void, never> = {
  name: 'loopback',
  flatten: () => ({}),
  decode(type) {
    throw new RangeError(`expected no event of a loopback lane, received type ${type}`);
  },
};
