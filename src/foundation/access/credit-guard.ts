import {
  type BilledUse,
  type Billing,
  type BillingAccount,
  type ExhaustedLimit,
  type UsageAmount,
  untilTomorrow,
} from '../billing/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { ApiError } from '../platform/errors.ts';
import type { PlanLimits } from './contract.ts';
import type { KeyCache } from './key-cache.ts';
import { budgetExceeded, creditExhausted, dailyCapReached, quotaExhausted } from './refusals.ts';

export interface CreditGuardOptions {
  readonly billing: Pick<Billing, 'reserve' | 'releaseReservation' | 'renewReservations'>;
  readonly clock: Clock;
  readonly keys: KeyCache;
}

export type CapLimits = Pick<PlanLimits, 'dailyCapUnits' | 'quotaUnits'>;

export interface CreditReservationRequest {
  readonly id: string;
  readonly use: BilledUse;
  readonly least: UsageAmount;
  readonly wanted: UsageAmount;
  readonly resource: string;
  readonly leaseMs: number;
  readonly begins: boolean;
}

export class CreditGuard {
  readonly #options: CreditGuardOptions;

  constructor(options: CreditGuardOptions) {
    this.#options = options;
  }

  async reserve(
    account: BillingAccount,
    limits: CapLimits,
    reservation: CreditReservationRequest,
  ): Promise<UsageAmount> {
    const { billing } = this.#options;
    const { orgId, projectId, keyId, environment } = account;
    const { held, obstacle } = await billing.reserve({
      ...reservation,
      orgId,
      projectId,
      keyId,
      environment,
      caps: {
        dailyUnits: limits.dailyCapUnits,
        quotaUnits: limits.quotaUnits,
        budgetMicros: await this.#budget(account),
      },
    });
    if (obstacle !== null) throw this.#refusal(obstacle, limits);
    return held;
  }

  release(id: string): Promise<void> {
    return this.#options.billing.releaseReservation(id);
  }

  renewLeases(ids: readonly string[], leaseMs: number): Promise<void> {
    return this.#options.billing.renewReservations(ids, leaseMs);
  }

  async #budget({ keyId, environment }: BillingAccount): Promise<number | null> {
    if (keyId === null || environment === 'sandbox') return null;
    return (await this.#options.keys.find(keyId))?.budgetMicros ?? null;
  }

  #refusal(obstacle: ExhaustedLimit, limits: CapLimits): ApiError {
    switch (obstacle) {
      case 'daily_cap':
        return dailyCapReached(limits.dailyCapUnits as number, untilTomorrow(this.#options.clock.now()));
      case 'quota':
        return quotaExhausted(limits.quotaUnits as number);
      case 'budget':
        return budgetExceeded();
      case 'credit':
        return creditExhausted();
    }
  }
}
