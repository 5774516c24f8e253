import type { Clock } from '../../../foundation/platform/clock.ts';

type Way = 'sound' | 'signalling';

/** Some telephones send a key both as RTP and by INFO; the second copy arrives within this time. */
const SAME_PRESS_MS = 1_000;

export class KeyMerger {
  readonly #clock: Clock;
  readonly #press: (digit: string) => void;
  #alone: { readonly digit: string; readonly way: Way; readonly atMs: number }[] = [];

  constructor(clock: Clock, press: (digit: string) => void) {
    this.#clock = clock;
    this.#press = press;
  }

  take(digit: string, way: Way): void {
    const atMs = this.#clock.now();
    this.#alone = this.#alone.filter((one) => atMs - one.atMs < SAME_PRESS_MS);
    const copied = this.#alone.findIndex((one) => one.digit === digit && one.way !== way);
    if (copied >= 0) {
      this.#alone.splice(copied, 1);
      return;
    }
    this.#alone.push({ digit, way, atMs });
    this.#press(digit);
  }
}

/** application/dtmf-relay may use these event numbers for the keys without a digit (RFC 4733, section 3.2). */
const NUMBERED = ['*', '#', 'A', 'B', 'C', 'D'];

/**
 * Returns the key of an INFO's body, `Signal=5` (application/dtmf-relay) or the bare key (application/dtmf), or null.
 */
export function keyOfInfo(body: string): string | null {
  const said = (/^\s*Signal\s*=\s*(\S+)/im.exec(body)?.[1] ?? body.trim()).toUpperCase();
  if (/^[0-9A-D*#]$/.test(said)) return said;
  return /^1[0-5]$/.test(said) ? (NUMBERED[Number(said) - 10] ?? null) : null;
}
