import type { Admission } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { isRefusal } from '../../foundation/platform/errors.ts';
import type { CallMedia } from './call-media.ts';
import type { CallEnding } from './contract.ts';

export interface CallWatchdogOptions {
  readonly clock: Clock;
  readonly media: CallMedia;
  readonly admission: Pick<Admission, 'recheck'>;
  readonly maxDurationMs: number;
  readonly end: (ending: CallEnding) => void;
  /** The callback runs once, when no audio has arrived from the other side for some seconds after the answer. */
  readonly oneWay: () => void;
  readonly failed: (error: unknown) => void;
}

const LOOK_MS = 1_000;
const DEAD_MS = 20_000;
const RECHECK_EVERY = 5;
/**
 * The call ends this long before its reserved time does, since a look comes once a second and the check and the
 * hang-up take time.
 */
const LEAD_MS = 2_000;

/**
 * Checks every second whether an answered call may go on: its line has audio, its maximum duration is not reached,
 * and its organization can pay.
 */
export class CallWatchdog {
  readonly #options: CallWatchdogOptions;
  #looksToRecheck = RECHECK_EVERY;
  #isOneWayReported = false;
  #stopLook: () => void = () => undefined;
  readonly #stopMax: () => void;
  readonly #lastMoment: number;
  /** The rest of the permitted duration is reserved at once, because the carrier continues the call alone. */
  #holdsRest = false;

  constructor(options: CallWatchdogOptions) {
    this.#options = options;
    const { clock, maxDurationMs, end } = options;
    this.#lastMoment = clock.monotonic() + maxDurationMs;
    this.#stopMax = clock.after(maxDurationMs, () => end({ reason: 'completed', detail: 'max_duration' }));
    this.#next();
  }

  stop(): void {
    this.#stopMax();
    this.#stopLook();
  }

  /**
   * Reserves and returns the time in milliseconds for which the call may continue without this server. Rejects with
   * ApiError when none is left.
   */
  async reserveRemaining(): Promise<number> {
    this.#holdsRest = true;
    try {
      return Math.min(this.#rest, await this.#recheckNow());
    } catch (error) {
      this.#holdsRest = false;
      throw error;
    }
  }

  releaseRemaining(): void {
    this.#holdsRest = false;
  }

  get #rest(): number {
    return Math.max(1, Math.ceil(this.#lastMoment - this.#options.clock.monotonic()));
  }

  #recheckNow(): Promise<number> {
    const { admission, media } = this.#options;
    const talkedMs = Math.round(media.talkedMs);
    return this.#holdsRest ? admission.recheck(talkedMs, this.#rest) : admission.recheck(talkedMs + LEAD_MS);
  }

  #next(): void {
    this.#stopLook = this.#options.clock.after(LOOK_MS, () => this.#look());
  }

  #look(): void {
    const { media, end, oneWay } = this.#options;
    this.#next();
    if (!this.#isOneWayReported && media.isOneWay) {
      this.#isOneWayReported = true;
      oneWay();
    }
    if (media.silentMs >= DEAD_MS) end({ reason: 'failed', detail: 'no audio was received for 20 s' });
    this.#looksToRecheck -= 1;
    if (this.#looksToRecheck > 0) return;
    this.#looksToRecheck = RECHECK_EVERY;
    void this.#recheck();
  }

  async #recheck(): Promise<void> {
    const { end, failed } = this.#options;
    try {
      const promisedMs = await this.#recheckNow();
      this.#looksToRecheck = Math.min(RECHECK_EVERY, Math.max(1, Math.floor(promisedMs / LOOK_MS)));
    } catch (error) {
      if (isRefusal(error)) end({ reason: 'completed', detail: error.code });
      else failed(error);
    }
  }
}
