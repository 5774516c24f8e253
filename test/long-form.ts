/**
 * Whether the long form runs: `npm test -- --long`. The short form holds each class of fault; the long one goes through every
 * member of it (each commit of each story, each emotion, each page in each look).
 */
export const long = process.env.TRUNKLINE_TEST_LONG === '1';
