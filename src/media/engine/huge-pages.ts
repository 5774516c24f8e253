import { addon } from './addon.ts';

/** Moves Node's own code onto huge pages, for a process that stays; the bytes moved, 0 where the system gives none. */
export const codeOnHugePages = (): number => addon().codeOnHugePages();
