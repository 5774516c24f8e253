import type { Clock } from '../clock.ts';

const RATE_WINDOW_MS = 30_000;

export interface TransferRateWatch {
  arrived(bytes: number): void;
  stop(): void;
}

/**
 * Calls `tooSlow` after the first 30 seconds below the rate. An idle timeout alone would let a server hold the reader
 * with single bytes.
 */
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
