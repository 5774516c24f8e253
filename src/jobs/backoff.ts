const FIRST_MS = 2_000;
const LONGEST_MS = 10 * 60_000;

/** Doubles from 2 s to 10 min; the jitter keeps what failed together from coming back together. */
export const exponentialBackoff = (attempt: number, random = Math.random()): number =>
  Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS) * (0.75 + random * 0.5);
