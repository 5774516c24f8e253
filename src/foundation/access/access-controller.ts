import type { BilledUse, BillingAccount, MeteredUse } from '../billing/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Storage } from '../storage/index.ts';
import { AccessCounters } from './access-counters.ts';
import type { Admissions } from './admission.ts';
import type { AllowedOrigins } from './allowed-origins.ts';
import type { Authenticator } from './authenticator.ts';
import type { BrowserTokens } from './browser-tokens.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type {
  AccessControl,
  Admission,
  AdmitOptions,
  AuthorizedRequest,
  Principal,
  RequestCredentials,
  Requirement,
  ReservationConfirmation,
} from './contract.ts';
import type { CredentialRevocations } from './credential-revocations.ts';
import type { ExpiredCredentialSweep } from './expired-credential-sweep.ts';
import { sourceNetwork } from './networks.ts';
import { describePrincipal, type PrincipalDescription } from './principal-description.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { RequestRateLimits } from './request-rate-limits.ts';
import { checkKind, checkScope } from './requirement-checks.ts';
import type { SharedRedis } from './shared-redis.ts';

const NETWORK_RATE = { rps: 500, burst: 1000 };

export interface AccessControllerParts {
  readonly authenticator: Authenticator;
  readonly admissions: Admissions;
  readonly rates: RateLimiter;
  readonly concurrency: ConcurrencyLimiter;
  readonly revocations: CredentialRevocations;
  readonly browserTokens: BrowserTokens;
  readonly origins: AllowedOrigins;
  readonly redis: SharedRedis | null;
  readonly sweeper: ExpiredCredentialSweep;
}

export interface AccessControllerOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly networkRate?: { readonly rps: number; readonly burst: number };
}

const opensOnce = ({ kind, browser }: Principal): boolean =>
  kind === 'browser_token' && browser?.isGrant !== true;

export class AccessController implements AccessControl {
  readonly #parts: AccessControllerParts;
  readonly #rates: RequestRateLimits;
  readonly #storage: Storage;
  readonly #tally = new AccessCounters();

  constructor(parts: AccessControllerParts, { storage, clock, networkRate }: AccessControllerOptions) {
    this.#parts = parts;
    this.#storage = storage;
    const network = { name: 'network' as const, ...(networkRate ?? NETWORK_RATE) };
    this.#rates = new RequestRateLimits(parts.rates, network, clock);
  }

  async authorize(presented: RequestCredentials, requirement: Requirement): Promise<AuthorizedRequest> {
    try {
      const authorized = await this.#authorize(presented, requirement);
      if (authorized.principal !== null) this.#tally.authorized += 1;
      return authorized;
    } catch (error) {
      if (error instanceof ApiError) this.#tally.refused(error.code);
      throw error;
    }
  }

  async #authorize(presented: RequestCredentials, requirement: Requirement): Promise<AuthorizedRequest> {
    if (requirement.kind === 'public' || requirement.kind === 'signed') {
      return { principal: null, headers: {} };
    }
    const isCounted = requirement.kind !== 'operator';
    const identified = await this.#parts.authenticator
      .authenticate(presented, requirement)
      .catch(async (error: unknown) => {
        throw !isCounted
          ? error
          : await this.#rates.addRateLimitHeaders(error, presented.remoteAddress, null);
      });
    const { headers } = identified;
    const principal = { ...identified.principal, network: sourceNetwork(presented.remoteAddress) };
    try {
      checkKind(principal, requirement);
      checkScope(principal, requirement);
    } catch (error) {
      throw !isCounted
        ? error
        : await this.#rates.addRateLimitHeaders(error, presented.remoteAddress, principal);
    }
    if (principal.kind === 'operator') return { principal, headers };
    const rate = await this.#rates.spend(principal, presented.remoteAddress);
    return { principal, headers: { ...headers, ...rate } };
  }

  admit(principal: Principal, use: MeteredUse, options: AdmitOptions): Promise<Admission> {
    return this.#tally.counting(this.#admit(principal, use, options));
  }

  confirm(account: BillingAccount, use: BilledUse, order: ReservationConfirmation): Promise<void> {
    return this.#tally.counting(this.#parts.admissions.confirm(account, use, order));
  }

  async #admit(principal: Principal, use: MeteredUse, options: AdmitOptions): Promise<Admission> {
    const admission = await this.#parts.admissions.admit(principal, use, options);
    if (opensOnce(principal)) await this.#spendToken(principal, admission);
    return admission;
  }

  async #spendToken(principal: Principal, admission: Admission): Promise<void> {
    try {
      await this.#parts.browserTokens.spend(principal.credentialId);
    } catch (error) {
      await admission.release();
      throw error;
    }
  }

  async restore(principal: Principal): Promise<void> {
    if (opensOnce(principal)) await this.#parts.browserTokens.unspend(principal.credentialId);
  }

  watchRevocation(principal: Principal, onDead: () => void): () => void {
    return this.#parts.revocations.watch(principal, onDead);
  }

  allowsOrigin(origin: string): Promise<boolean> {
    return this.#parts.origins.isAllowedAnywhere(origin);
  }

  limitNetwork(remoteAddress: string): Promise<Record<string, string>> {
    return this.#rates.spendNetwork(remoteAddress);
  }

  identity(principal: Principal): Promise<PrincipalDescription> {
    return describePrincipal(this.#storage, principal);
  }

  metrics(): Record<string, number> {
    const { admissions, concurrency: slots, revocations, redis: counts } = this.#parts;
    return {
      ...this.#tally.numbers(),
      holds: admissions.reservationCount(),
      live_sessions: slots.heldCount(),
      watched_credentials: revocations.watcherCount(),
      ...(counts === null ? {} : { redis_up: counts.isUp() ? 1 : 0 }),
    };
  }

  /** No part is required: without Redis, each node counts by itself. */
  parts(): { name: string; ready: boolean; required: boolean; detail?: string }[] {
    const { redis: counts } = this.#parts;
    if (counts === null) return [];
    const name = 'limits (Redis)';
    if (counts.isUp()) return [{ name, ready: true, required: false }];
    const detail = 'Redis does not respond: each node counts limits on its own. Check TRUNKLINE_REDIS_URL.';
    return [{ name, ready: false, required: false, detail }];
  }

  close(): void {
    this.#parts.sweeper.close();
    this.#parts.admissions.close();
    this.#parts.revocations.close();
    this.#parts.concurrency.close();
    this.#parts.redis?.close();
  }
}
