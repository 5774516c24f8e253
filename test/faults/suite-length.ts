/**
 * The suite has two forms. `npm test` runs the short one; `npm run test:faults -- --long` runs the long one, which
 * repeats more and uses more peers.
 */
export const isLong = process.env.TRUNKLINE_TEST_FAULTS === 'long';

export const inForm = (short: number, long: number): number => (isLong ? long : short);
