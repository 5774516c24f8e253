import type { Access, Principal } from '../../foundation/access/contract.ts';
import { reachOf } from '../../foundation/access/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { TelephonyNumberRow } from '../../foundation/storage/tables/telephony.ts';
import { opensIn } from './campaign-plan.ts';
import type { Guards } from './guards.ts';
import { readSettings } from './number-settings.ts';

/** Why a call is not dialed. */
export interface Refusal {
  readonly code: string;
  /** It may be dialed later, as it stands: the hour, the rate or the credit is in the way, not whom it calls. */
  readonly waits: boolean;
}

/** Why nobody is called from a number now. */
export interface Obstacle {
  readonly code: string;
  /** When it is worth asking again. */
  readonly afterMs: number;
}

export interface DialObstaclesOptions {
  readonly clock: Clock;
  readonly access: Pick<Access, 'admit'>;
  readonly guards: Pick<Guards, 'check'>;
}

const ASKED_AGAIN_MS = 60_000;

/** What keeps a number from calling anybody for a while: its quiet hours, the guards of its organization, and credit. */
export class DialObstacles {
  readonly #options: DialObstaclesOptions;

  constructor(options: DialObstaclesOptions) {
    this.#options = options;
  }

  isQuiet(number: TelephonyNumberRow): boolean {
    const { quiet_hours: quiet } = readSettings(number.settings);
    return quiet !== null && opensIn(quiet, quiet.time_zone, this.#options.clock.now());
  }

  async ask(principal: Principal, number: TelephonyNumberRow): Promise<Obstacle | null> {
    const { guards, access } = this.#options;
    if (this.isQuiet(number)) return { code: 'quiet_hours', afterMs: ASKED_AGAIN_MS };
    try {
      await guards.check(reachOf(principal), number);
      const admission = await access.admit(principal, 'telephony.call', { realtime: false });
      await admission.release();
      return null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const afterMs = Math.min(ASKED_AGAIN_MS, (error.retryAfter ?? 60) * 1000);
      return { code: error.code, afterMs };
    }
  }
}
