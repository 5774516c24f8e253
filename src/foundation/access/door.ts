import type { Account, BilledUse, MeteredUse } from '../billing/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Storage } from '../storage/index.ts';
import type { Admissions } from './admission.ts';
import type { BrowserTokens } from './browser-tokens.ts';
import type {
  Access,
  Admission,
  AdmitOptions,
  Authorized,
  ConfirmOrder,
  Presented,
  Principal,
  Requirement,
} from './contract.ts';
import type { Deaths } from './deaths.ts';
import { checkKind, checkScope } from './demands.ts';
import type { Identifier } from './identify.ts';
import { type Identity, readIdentity } from './identity.ts';
import { sourceNetwork } from './networks.ts';
import type { Origins } from './origins.ts';
import type { Rates } from './rates.ts';
import { RequestRates } from './request-rates.ts';
import type { SharedCounts } from './shared-counts.ts';
import type { Slots } from './slots.ts';
import type { Sweeper } from './sweeper.ts';
import { Tally } from './tally.ts';

const NETWORK_RATE = { rps: 500, burst: 1000 };

/** What the door asks, in the order in which it is asked. */
export interface DoorParts {
  readonly identifier: Identifier;
  readonly admissions: Admissions;
  readonly rates: Rates;
  readonly slots: Slots;
  readonly deaths: Deaths;
  readonly browserTokens: BrowserTokens;
  readonly origins: Origins;
  readonly counts: SharedCounts | null;
  readonly sweeper: Sweeper;
}

export interface DoorOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Requests that one source network may send, all its keys together. */
  readonly networkRate?: { readonly rps: number; readonly burst: number };
}

/** Decides who may do what, and counts who passed and who was refused. */
export class Door implements Access {
  readonly #parts: DoorParts;
  readonly #rates: RequestRates;
  readonly #storage: Storage;
  readonly #tally = new Tally();

  constructor(parts: DoorParts, { storage, clock, networkRate }: DoorOptions) {
    this.#parts = parts;
    this.#storage = storage;
    const network = { name: 'network' as const, ...(networkRate ?? NETWORK_RATE) };
    this.#rates = new RequestRates(parts.rates, network, clock);
  }

  async authorize(presented: Presented, requirement: Requirement): Promise<Authorized> {
    try {
      const authorized = await this.#authorize(presented, requirement);
      if (authorized.principal !== null) this.#tally.authorized += 1;
      return authorized;
    } catch (error) {
      if (error instanceof ApiError) this.#tally.refused(error.code);
      throw error;
    }
  }

  async #authorize(presented: Presented, requirement: Requirement): Promise<Authorized> {
    if (requirement.kind === 'public' || requirement.kind === 'signed') {
      return { principal: null, headers: {} };
    }
    const told = requirement.kind !== 'operator';
    const identified = await this.#parts.identifier
      .identify(presented, requirement)
      .catch(async (error: unknown) => {
        throw !told ? error : await this.#rates.tellOn(error, presented.remoteAddress, null);
      });
    const { headers } = identified;
    const principal = { ...identified.principal, network: sourceNetwork(presented.remoteAddress) };
    try {
      checkKind(principal, requirement);
      checkScope(principal, requirement);
    } catch (error) {
      throw !told ? error : await this.#rates.tellOn(error, presented.remoteAddress, principal);
    }
    if (principal.kind === 'operator') return { principal, headers };
    const rate = await this.#rates.spend(principal, presented.remoteAddress);
    return { principal, headers: { ...headers, ...rate } };
  }

  admit(principal: Principal, use: MeteredUse, options: AdmitOptions): Promise<Admission> {
    return this.#tally.counting(this.#admit(principal, use, options));
  }

  confirm(account: Account, use: BilledUse, order: ConfirmOrder): Promise<void> {
    return this.#tally.counting(this.#parts.admissions.confirm(account, use, order));
  }

  async #admit(principal: Principal, use: MeteredUse, options: AdmitOptions): Promise<Admission> {
    const admission = await this.#parts.admissions.admit(principal, use, options);
    if (principal.kind === 'browser_token') await this.#spendToken(principal, admission);
    return admission;
  }

  /** One session a token: spent when all else has let it begin. */
  async #spendToken(principal: Principal, admission: Admission): Promise<void> {
    try {
      await this.#parts.browserTokens.use(principal.credentialId);
    } catch (error) {
      await admission.release();
      throw error;
    }
  }

  async restore(principal: Principal): Promise<void> {
    if (principal.kind === 'browser_token') await this.#parts.browserTokens.giveBack(principal.credentialId);
  }

  watch(principal: Principal, onDead: () => void): () => void {
    return this.#parts.deaths.watch(principal, onDead);
  }

  allowsOrigin(origin: string): Promise<boolean> {
    return this.#parts.origins.allowedSomewhere(origin);
  }

  /** For public routes that do costly work: only the network's rate. Throws when it is used up. */
  limitNetwork(remoteAddress: string): Promise<Record<string, string>> {
    return this.#rates.spendNetwork(remoteAddress);
  }

  identity(principal: Principal): Promise<Identity> {
    return readIdentity(this.#storage, principal);
  }

  /** For /metrics: who passed, who was refused and why, what is held. */
  metrics(): Record<string, number> {
    const { admissions, slots, deaths, counts } = this.#parts;
    return {
      ...this.#tally.numbers(),
      holds: admissions.held(),
      live_sessions: slots.held(),
      watched_credentials: deaths.watched(),
      ...(counts === null ? {} : { redis_up: counts.up() ? 1 : 0 }),
    };
  }

  /** Nothing that traffic waits for: without Redis every node counts by itself. */
  parts(): { name: string; ready: boolean; required: boolean; detail?: string }[] {
    const { counts } = this.#parts;
    if (counts === null) return [];
    const name = 'limits (Redis)';
    if (counts.up()) return [{ name, ready: true, required: false }];
    const detail = 'Redis does not answer: limits are counted by each node alone. Check TRUNKLINE_REDIS_URL.';
    return [{ name, ready: false, required: false, detail }];
  }

  close(): void {
    this.#parts.sweeper.close();
    this.#parts.admissions.close();
    this.#parts.deaths.close();
    this.#parts.slots.close();
    this.#parts.counts?.close();
  }
}
