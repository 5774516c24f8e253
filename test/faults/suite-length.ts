/**
 * The two forms of this suite. The short one is part of `npm test`; `npm run test:faults -- --long` runs the long one,
 * which repeats more and takes more peers.
 */
export const isLong = process.env.TRUNKLINE_TEST_FAULTS === 'long';

/** How often, or how many, in the form that runs. */
export const inForm = (short: number, long: number): number => (isLong ? long : short);
