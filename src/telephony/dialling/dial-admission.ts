import type { AccessControl, Principal } from '../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../foundation/access/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { TelephonyNumberRow } from '../../foundation/storage/tables/telephony.ts';
import { isWithinWindow } from './campaign-plan.ts';
import type { DialLimiter } from './dial-limiter.ts';
import { readSettings } from './number-settings.ts';

export interface DialRefusal {
  readonly code: string;
  /** The refusal is temporary: quiet hours, a rate limit or missing credit, and not the target. */
  readonly waits: boolean;
}

export interface DialDelay {
  readonly code: string;
  readonly afterMs: number;
}

export interface DialAdmissionOptions {
  readonly clock: Clock;
  readonly access: Pick<AccessControl, 'admit'>;
  readonly guards: Pick<DialLimiter, 'check'>;
}

const ASKED_AGAIN_MS = 60_000;

export class DialAdmission {
  readonly #options: DialAdmissionOptions;

  constructor(options: DialAdmissionOptions) {
    this.#options = options;
  }

  isQuiet(number: TelephonyNumberRow): boolean {
    const { quiet_hours: quiet } = readSettings(number.settings);
    return quiet !== null && isWithinWindow(quiet, quiet.time_zone, this.#options.clock.now());
  }

  async check(principal: Principal, number: TelephonyNumberRow): Promise<DialDelay | null> {
    const { guards, access } = this.#options;
    if (this.isQuiet(number)) return { code: 'quiet_hours', afterMs: ASKED_AGAIN_MS };
    try {
      await guards.check(tenantScopeOf(principal), number);
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
