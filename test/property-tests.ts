/**
 * Property tests take fast-check from here. The short form draws the same values in every run. The long form makes ten
 * times the runs with a seed of its own, which it prints; a counterexample that it finds becomes an example of its test.
 */
import fc from 'fast-check';
import { long } from './long-tests.ts';

const FIXED_SEED = 20_261_129;
/** Without a setting, fast-check makes this many runs. */
const USUAL_RUNS = 100;

const seed = long ? Math.floor(Math.random() * 2 ** 31) : FIXED_SEED;
if (long) console.info(`The property tests draw from the seed ${seed}.`);

/** Returns the number of runs: `short` in the short form. */
export const runs = (short: number, longForm = 10 * short): number => (long ? longForm : short);

fc.configureGlobal({ seed, numRuns: runs(USUAL_RUNS) });

export { fc };
