import type { Clock } from '../clock.ts';

const RATE_WINDOW_MS = 30_000;

export interface TransferRateWatch {
  arrived(bytes: number): void;
  stop(): void;
}

/** Calls `tooSlow` after the first half minute in which fewer bytes arrived than the rate asks for: a byte now and then
 * is no silence, and would hold whoever waits for it as long as they have time. */
export function watchTransferRate(
  clock: Clock,
  bytesPerSecond: number,
  tooSlow: () => void,
): TransferRateWatch {
  let bytes = 0;
  let cancel = () => {};
  const look = () => {
    cancel = clock.after(RATE_WINDOW_MS, () => {
      if (bytes < (bytesPerSecond * RATE_WINDOW_MS) / 1000) return tooSlow();
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
