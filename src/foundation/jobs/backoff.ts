const FIRST_MS = 2_000;
const LONGEST_MS = 10 * 60_000;

/** Server restarts cause this many losses without the job being at fault. */
const UNSUSPICIOUS_LOSSES = 2;

/** The wait doubles from 2 s to 10 min; the jitter spreads jobs that failed together. */
export const exponentialBackoff = (attempt: number, random = Math.random()): number =>
  Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS) * (0.75 + random * 0.5);

/** A job that may crash its workers waits longer each time, so that other jobs get through meanwhile. */
export const waitAfterLoss = (losses: number): number =>
  losses <= UNSUSPICIOUS_LOSSES ? 0 : exponentialBackoff(losses - UNSUSPICIOUS_LOSSES);
