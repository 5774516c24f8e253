import { addon } from './addon.ts';

/**
 * Moves Node's own code onto huge pages, for a long-running process. Returns the bytes moved; 0 where the system has
 * none.
 */
export const codeOnHugePages = (): number => addon().codeOnHugePages();
