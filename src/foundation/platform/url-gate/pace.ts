import type { Clock } from '../clock.ts';

const PACE_MS = 30_000;

export interface Pace {
  arrived(bytes: number): void;
  stop(): void;
}

/** Calls `tooSlow` after the first half minute in which fewer bytes arrived than the rate asks for: a byte now and then
 * is no silence, and would hold whoever waits for it as long as they have time. */
export function watchPace(clock: Clock, bytesPerSecond: number, tooSlow: () => void): Pace {
  let bytes = 0;
  let cancel = () => {};
  const look = () => {
    cancel = clock.after(PACE_MS, () => {
      if (bytes < (bytesPerSecond * PACE_MS) / 1000) return tooSlow();
      bytes = 0;
      look();
    });
  };
  look();
  return {
    arrived: (count) => {
      bytes += count;
    },
    stop: () => cancel(),
  };
}
