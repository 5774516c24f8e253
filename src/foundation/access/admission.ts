import {
  type BilledUse,
  type BillingAccount,
  isBilled,
  type MeteredUse,
  meteringOf,
  type UsageAmount,
} from '../billing/index.ts';
import type { BackgroundTasks } from '../platform/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { type AllowedOrigins, ANY_ALLOWED_ORIGIN } from './allowed-origins.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { Admission, AdmitOptions, Principal, ReservationConfirmation } from './contract.ts';
import { CreditGuard, type CreditGuardOptions } from './credit-guard.ts';
import type { KeyCache } from './key-cache.ts';
import { subjectOf } from './key-principal.ts';
import { isOwnMachine } from './networks.ts';
import { missingScope, originNotAllowed, tooManySessions } from './refusals.ts';
import { RESERVATION_LEASE_MS, ReservationLeases } from './reservation-leases.ts';
import { grants } from './scopes.ts';

export interface AdmissionsOptions {
  readonly billing: CreditGuardOptions['billing'];
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly keys: KeyCache;
  readonly origins: Pick<AllowedOrigins, 'allows'>;
  readonly slots: ConcurrencyLimiter;
  readonly onError: (error: unknown) => void;
}

/** A session reserves this much more than it has used. It is longer than the interval between two rechecks. */
const RESERVE_AHEAD_MS = 15_000;
const UNKNOWN_LENGTH_RESERVE_MS = 1_000;
/**
 * These bounds limit the live sessions of an organization over all its sandbox keys, and of a source network over all
 * of its.
 */
const SANDBOX_SESSION_LIMITS = { organization: 4, network: 8 };
const NO_CAPS = { dailyCapUnits: null, quotaUnits: null };

const SESSION_SCOPES: Partial<Record<MeteredUse, string>> = {
  'omni.call': 'omni:session',
  'agents.call': 'omni:session',
  'hear.stream': 'hear:stream',
};

const audio = (milliseconds: number): UsageAmount => ({ milliseconds, count: 0 });
const ONE_CALL: UsageAmount = { milliseconds: 0, count: 1 };

export class Admissions {
  readonly #options: AdmissionsOptions;
  readonly #credit: CreditGuard;
  readonly #leases: ReservationLeases;

  constructor(options: AdmissionsOptions) {
    this.#options = options;
    this.#credit = new CreditGuard(options);
    this.#leases = new ReservationLeases(this.#credit, options.background, options.onError);
  }

  async admit(principal: Principal, use: MeteredUse, options: AdmitOptions): Promise<Admission> {
    const freeSlot = options.realtime ? await this.#takeSlot(principal) : () => {};
    try {
      const billed = isBilled(use) && principal.kind !== 'operator' ? use : null;
      const hold = billed && new CreditReservation(this.#credit, this.#leases, principal, billed, options);
      await hold?.begin();
      return {
        reservationId: hold?.id ?? null,
        release: async () => {
          freeSlot();
          await hold?.release();
        },
        settling: (work) => hold?.settling(work),
        handOver: () => hold?.handOver(),
        recheck: async (pendingMilliseconds, aheadMilliseconds = RESERVE_AHEAD_MS) => {
          if (hold?.over) return 0;
          await this.#checkStanding(principal, use);
          if (hold === null) return Number.POSITIVE_INFINITY;
          return await hold.extend(pendingMilliseconds, aheadMilliseconds);
        },
      };
    } catch (error) {
      freeSlot();
      throw error;
    }
  }

  async confirm(account: BillingAccount, use: BilledUse, order: ReservationConfirmation): Promise<void> {
    const { reservationId: hold, milliseconds, leaseMs, resource } = order;
    const key = account.keyId === null ? null : await this.#options.keys.find(account.keyId);
    const amount = audio(milliseconds);
    await this.#credit.reserve(account, key?.limits ?? NO_CAPS, {
      id: hold,
      use,
      least: amount,
      wanted: amount,
      resource,
      leaseMs,
      begins: false,
    });
  }

  reservationCount(): number {
    return this.#leases.size();
  }

  close(): void {
    this.#leases.close();
  }

  async #checkStanding(principal: Principal, use: MeteredUse): Promise<void> {
    const { keys, origins } = this.#options;
    const { browser, keyId, orgId } = principal;
    const origin = browser?.origin ?? ANY_ALLOWED_ORIGIN;
    if (origin !== ANY_ALLOWED_ORIGIN && !(await origins.allows(orgId, origin))) {
      throw originNotAllowed('The origin is no longer on the allow-list.');
    }
    if (principal.kind === 'project') return;
    const scope = SESSION_SCOPES[use];
    const key = keyId === null || scope === undefined ? null : await keys.find(keyId);
    if (key && scope && !grants(key.scopes, scope)) {
      throw missingScope(scope);
    }
  }

  /**
   * A session takes one slot of its key and, in the sandbox, one of its organization and network, so that more keys
   * do not give more slots.
   */
  async #takeSlot(principal: Principal): Promise<() => void> {
    const places = [{ subject: subjectOf(principal), cap: principal.limits.concurrency }];
    if (principal.environment === 'sandbox') {
      const { organization, network } = SANDBOX_SESSION_LIMITS;
      places.push({ subject: `sandbox:${principal.orgId}`, cap: organization });
      const from = principal.network;
      if (from !== undefined && !isOwnMachine(from))
        places.push({ subject: `sandbox:${from}`, cap: network });
    }
    const taken: (() => void)[] = [];
    const free = () => {
      for (const release of taken.splice(0)) release();
    };
    for (const { subject, cap } of places) {
      const release = await this.#options.slots.acquire(subject, cap);
      if (release === null) {
        free();
        throw tooManySessions(cap);
      }
      taken.push(release);
    }
    return free;
  }
}

class CreditReservation {
  readonly id: string;
  readonly #credit: CreditGuard;
  readonly #leases: ReservationLeases;
  readonly #principal: Principal;
  readonly #use: BilledUse;
  readonly #order: AdmitOptions;
  #state: 'held' | 'handed over' | 'released' = 'held';
  #settling = 0;

  constructor(
    credit: CreditGuard,
    leases: ReservationLeases,
    principal: Principal,
    use: BilledUse,
    order: AdmitOptions,
  ) {
    this.id = order.reservationId ?? newId('hold');
    this.#credit = credit;
    this.#leases = leases;
    this.#principal = principal;
    this.#use = use;
    this.#order = order;
  }

  get over(): boolean {
    return this.#state === 'released';
  }

  async begin(): Promise<void> {
    const { reserves } = meteringOf(this.#use);
    if (reserves === 'one') await this.#take(ONE_CALL, ONE_CALL, true);
    else if (reserves === 'ahead') await this.#take(audio(1), audio(RESERVE_AHEAD_MS), true);
    else {
      const length = audio(Math.max(1, this.#order.milliseconds ?? UNKNOWN_LENGTH_RESERVE_MS));
      await this.#take(length, length, true);
    }
    this.#leases.add(this.id);
  }

  async extend(used: number, ahead: number): Promise<number> {
    const { reserves } = meteringOf(this.#use);
    if (reserves === 'one') return Number.POSITIVE_INFINITY;
    const length =
      reserves === 'length'
        ? Math.max(used, this.#order.milliseconds ?? UNKNOWN_LENGTH_RESERVE_MS)
        : used + ahead;
    const held = await this.#take(audio(Math.max(1, used)), audio(Math.max(1, length)), false);
    if (this.#state === 'released' && this.#settling === 0) await this.#leases.release(this.id);
    return held.milliseconds - used;
  }

  async release(): Promise<void> {
    if (this.#state !== 'held') return;
    this.#state = 'released';
    if (this.#settling === 0) await this.#leases.release(this.id);
  }

  settling(work: Promise<unknown>): void {
    this.#settling += 1;
    const settled = () => {
      this.#settling -= 1;
      if (this.#settling === 0 && this.#state === 'released') void this.#leases.release(this.id);
    };
    work.then(settled, settled);
  }

  handOver(): void {
    if (this.#state !== 'held') return;
    this.#state = 'handed over';
    this.#leases.forget(this.id);
  }

  #take(least: UsageAmount, wanted: UsageAmount, begins: boolean): Promise<UsageAmount> {
    return this.#credit.reserve(this.#principal, this.#principal.limits, {
      id: this.id,
      use: this.#use,
      least,
      wanted,
      resource: this.#order.resource ?? this.id,
      leaseMs: RESERVATION_LEASE_MS,
      begins,
    });
  }
}
