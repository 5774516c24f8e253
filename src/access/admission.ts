import { type Billing, untilTomorrow } from '../billing/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Admission, Meter, Principal } from './contract.ts';
import type { KeyRecords } from './key-records.ts';
import type { Origins } from './origins.ts';
import {
  budgetExceeded,
  creditExhausted,
  dailyCapReached,
  missingScope,
  originNotAllowed,
  quotaExhausted,
  tooManySessions,
} from './refusals.ts';
import { grants } from './scopes.ts';
import type { Slots } from './slots.ts';
import { Unrecorded } from './unrecorded.ts';

export interface AdmissionsOptions {
  readonly billing: Pick<Billing, 'standing'>;
  readonly clock: Clock;
  readonly keys: KeyRecords;
  readonly origins: Pick<Origins, 'allows'>;
  readonly slots: Slots;
}

const MILLISECONDS_PER_UNIT = 1000;

/** What a live session on a meter goes on needing. */
const SESSION_SCOPES: Partial<Record<Meter, string>> = { omni: 'omni:session', hear: 'hear:stream' };

/** The checks that follow validation, in their order: concurrency, caps, credit. */
export class Admissions {
  readonly #options: AdmissionsOptions;
  readonly #unrecorded = new Unrecorded();

  constructor(options: AdmissionsOptions) {
    this.#options = options;
  }

  async admit(principal: Principal, meter: Meter, realtime: boolean): Promise<Admission> {
    const release = realtime ? await this.#takeSlot(principal) : () => {};
    const session = {};
    let over = false;
    try {
      await this.#checkMoney(principal, meter, 0, session);
    } catch (error) {
      release();
      throw error;
    }
    return {
      release: () => {
        over = true;
        release();
        this.#unrecorded.remove(principal, session);
      },
      recheck: async (pendingMilliseconds) => {
        if (over) return;
        this.#unrecorded.set(principal, session, meter, pendingMilliseconds);
        await this.#checkStanding(principal, meter);
        await this.#checkMoney(principal, meter, pendingMilliseconds, session);
      },
    };
  }

  /** What was granted at the start may have been taken away since: the page's origin, or the key's scope. */
  async #checkStanding(principal: Principal, meter: Meter): Promise<void> {
    const { keys, origins } = this.#options;
    const { browser, keyId, orgId } = principal;
    if (browser && !(await origins.allows(orgId, browser.origin))) {
      throw originNotAllowed('The origin is not on the allow-list any more.');
    }
    const scope = SESSION_SCOPES[meter];
    const key = keyId === null || scope === undefined ? null : await keys.find(keyId);
    if (key && scope && !grants(key.scopes, scope)) {
      throw missingScope(scope);
    }
  }

  async #takeSlot(principal: Principal): Promise<() => void> {
    const cap = principal.limits.concurrency;
    const release = await this.#options.slots.take(principal.keyId ?? principal.credentialId, cap);
    if (release === null) throw tooManySessions(cap);
    return release;
  }

  /** With nothing pending the question is whether there is room for anything more; with something, whether it fits. */
  async #checkMoney(
    principal: Principal,
    meter: Meter,
    pendingMilliseconds: number,
    session: object,
  ): Promise<void> {
    if (principal.kind === 'operator') return;
    const { billing, clock, keys } = this.#options;
    const { limits, environment } = principal;
    const others = this.#unrecorded.ofOthers(principal, session);
    const standing = await billing.standing({
      orgId: principal.orgId,
      keyId: principal.keyId,
      environment,
      meter,
      pendingMilliseconds,
      alsoPending: others.ofAll,
      alsoPendingOfKey: others.ofKey,
    });
    const unrecorded = [...others.ofAll.values()].reduce((sum, more) => sum + more, pendingMilliseconds);
    const exceeds = (used: number, cap: number | null): boolean =>
      cap !== null && isOver(used + unrecorded, cap * MILLISECONDS_PER_UNIT, pendingMilliseconds);
    if (exceeds(standing.dayMilliseconds, limits.dailyCapUnits)) {
      throw dailyCapReached(limits.dailyCapUnits as number, untilTomorrow(clock.now()));
    }
    if (exceeds(standing.monthMilliseconds, limits.quotaUnits)) {
      throw quotaExhausted(limits.quotaUnits as number);
    }
    if (environment === 'sandbox' || (standing.free && standing.pendingMicros === 0n)) return;
    const budget =
      principal.keyId === null ? null : ((await keys.find(principal.keyId))?.budgetMicros ?? null);
    const { pendingMicros } = standing;
    const keyMicros = standing.keyMonthMicros + standing.keyAlsoPendingMicros + pendingMicros;
    const balanceMicros = standing.balanceMicros - standing.alsoPendingMicros;
    if (budget !== null && isOver(keyMicros, BigInt(budget), pendingMilliseconds)) {
      throw budgetExceeded();
    }
    if (pendingMilliseconds === 0 ? balanceMicros <= 0n : balanceMicros < pendingMicros) {
      throw creditExhausted();
    }
  }
}

/** Before the first sample a cap that is just reached refuses; in mid-session what fits exactly still passes. */
const isOver = <T extends number | bigint>(used: T, cap: T, pendingMilliseconds: number): boolean =>
  pendingMilliseconds === 0 ? used >= cap : used > cap;
