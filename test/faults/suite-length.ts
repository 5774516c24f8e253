/**
 * The suite has two forms. `npm test` runs the short one; `npm run test:faults -- --long` runs the long one, which
 * repeats more and uses more peers.
 */
export const isLong = process.env.TRUNKLINE_TEST_FAULTS === 'long';

export const inForm = (short: number, long: number): number => (isLong ? long : short);

/** Returns one of every `every` members in the short form, all of them in the long one. */
export const sampleOf = <T>(members: readonly T[], every: number): T[] =>
  members.filter((_member, at) => isLong || at % every === 0);
