const FIRST_MS = 2_000;
const LONGEST_MS = 10 * 60_000;

/** So many workers may vanish with a job before it is suspected: servers are restarted. */
const UNSUSPICIOUS_LOSSES = 2;

/** Doubles from 2 s to 10 min; the jitter keeps what failed together from coming back together. */
export const exponentialBackoff = (attempt: number, random = Math.random()): number =>
  Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS) * (0.75 + random * 0.5);

/** A job that may be what ends its workers waits longer each time: whatever else ran beside it gets through meanwhile. */
export const waitAfterLoss = (losses: number): number =>
  losses <= UNSUSPICIOUS_LOSSES ? 0 : exponentialBackoff(losses - UNSUSPICIOUS_LOSSES);
