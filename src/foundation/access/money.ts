import {
  type Account,
  type Amount,
  type BilledUse,
  type Billing,
  type Obstacle,
  untilTomorrow,
} from '../billing/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { ApiError } from '../platform/errors.ts';
import type { PlanLimits } from './contract.ts';
import type { KeyRecords } from './key-records.ts';
import { budgetExceeded, creditExhausted, dailyCapReached, quotaExhausted } from './refusals.ts';

export interface MoneyOptions {
  readonly billing: Pick<Billing, 'hold' | 'release' | 'renewHolds'>;
  readonly clock: Clock;
  readonly keys: KeyRecords;
}

export type CappedBy = Pick<PlanLimits, 'dailyCapUnits' | 'quotaUnits'>;

export interface Reservation {
  readonly id: string;
  readonly use: BilledUse;
  readonly least: Amount;
  readonly wanted: Amount;
  readonly resource: string;
  readonly leaseMs: number;
  readonly begins: boolean;
}

/** Holds of credit, budgets and caps, with the refusal of whoever finds no room. */
export class Money {
  readonly #options: MoneyOptions;

  constructor(options: MoneyOptions) {
    this.#options = options;
  }

  async hold(account: Account, limits: CappedBy, reservation: Reservation): Promise<Amount> {
    const { billing } = this.#options;
    const { orgId, projectId, keyId, environment } = account;
    const { held, obstacle } = await billing.hold({
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
    return this.#options.billing.release(id);
  }

  renew(ids: readonly string[], leaseMs: number): Promise<void> {
    return this.#options.billing.renewHolds(ids, leaseMs);
  }

  async #budget({ keyId, environment }: Account): Promise<number | null> {
    if (keyId === null || environment === 'sandbox') return null;
    return (await this.#options.keys.find(keyId))?.budgetMicros ?? null;
  }

  #refusal(obstacle: Obstacle, limits: CappedBy): ApiError {
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
