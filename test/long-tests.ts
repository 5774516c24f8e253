/**
 * `npm test -- --long` runs the long form. The short form covers each class of fault; the long one covers every
 * member of it (each commit of each story, each emotion, each page in each look).
 */
export const long = process.env.TRUNKLINE_TEST_LONG === '1';

/** Returns one of every `every` members in the short form, all of them in the long one. */
export const sampleOf = <T>(members: readonly T[], every: number): T[] =>
  members.filter((_member, at) => long || at % every === 0);
