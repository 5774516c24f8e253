import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';

const EVERY_MS = 10;

/**
 * Returns the CPU time of the calling thread. Time for which another process had the core is not counted, so load
 * changes nothing.
 */
export const cpuMs = (): number =>
  Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1_000_000;

/** Measures the longest time for which this thread blocks the event loop, until the test ends. */
export function watchTurns(): { longestMs(): number } {
  let longest = 0;
  let before = cpuMs();
  const look = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, EVERY_MS);
  onTestFinished(() => clearInterval(timer));
  return {
    longestMs() {
      look();
      return Math.round(longest);
    },
  };
}
