const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const RETRY_WAITS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
];

/** Returns the wait after `attempts` failures with a jitter of a tenth; null after the last attempt. */
export function waitAfter(attempts: number, random: number): number | null {
  const wait = RETRY_WAITS_MS[attempts - 1];
  return wait === undefined ? null : Math.round(wait * (0.9 + random * 0.2));
}
