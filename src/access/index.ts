import type { Account, BilledUse, Billing, MeteredUse } from '../billing/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Storage } from '../storage/index.ts';
import { Accounts } from './accounts.ts';
import { Admissions } from './admission.ts';
import { BrowserTokens } from './browser-tokens.ts';
import type {
  Access,
  Admission,
  AdmitOptions,
  Authorized,
  ConfirmOrder,
  MailDoor,
  Presented,
  Principal,
  Requirement,
} from './contract.ts';
import { readCredential } from './credential.ts';
import { type CredentialNotice, Deaths } from './deaths.ts';
import { checkKind, checkScope } from './demands.ts';
import { deploymentSecret } from './deployment-secret.ts';
import { EmailLinks } from './email-links.ts';
import { Identifier, sessionCookie } from './identify.ts';
import { type Identity, readIdentity } from './identity.ts';
import { Invitations } from './invitations.ts';
import { KeyRecords, loadKey } from './key-records.ts';
import { Keys } from './keys.ts';
import { Members } from './members.ts';
import { sourceNetwork } from './networks.ts';
import { attemptCookie, Oidc, type OidcSettings } from './oidc.ts';
import { Origins } from './origins.ts';
import { Plans } from './plans.ts';
import { presentedCredential } from './presented.ts';
import { Projects } from './projects.ts';
import { Rates } from './rates.ts';
import { invalidCredential } from './refusals.ts';
import { RequestRates } from './request-rates.ts';
import { Retention } from './retention.ts';
import { SessionKeys } from './session-keys.ts';
import { Sessions } from './sessions.ts';
import type { SharedCounts, SharedCountsOptions } from './shared-counts.ts';
import { Slots } from './slots.ts';
import { Sweeper } from './sweeper.ts';
import { Tally } from './tally.ts';

export type { Account, Signup } from './accounts.ts';
export type { BrowserToken } from './browser-tokens.ts';
export type * from './contract.ts';
export { ROLES } from './contract.ts';
export { deploymentSecret } from './deployment-secret.ts';
export type { Identity } from './identity.ts';
export type { Invitation } from './invitations.ts';
export { principalOfKey } from './key-principal.ts';
export type { ApiKey, IssuedKey } from './keys.ts';
export type { Member } from './members.ts';
export { ATTEMPT_COOKIE, type OidcSettings } from './oidc.ts';
export { canonicalOrigin } from './origins.ts';
export { cookieValue, presentedCredential, selectSubprotocol } from './presented.ts';
export type { Project } from './projects.ts';
export { DEFAULT_RETENTION, type RetentionChange, type RetentionDays } from './retention.ts';
export { type ChosenPlace, demandRole, doerOf, isAtLeast, reachIn, reachOf, reachOfRow } from './roles.ts';
export { ADMINISTRATIVE, administrativeIn, grants, SANDBOX_SCOPES, SCOPES } from './scopes.ts';
export { createSealer, Sealer } from './sealer.ts';
export type { SignedIn, Visitor } from './sessions.ts';

export interface AccessOptions {
  readonly storage: Storage;
  readonly billing: Pick<Billing, 'hold' | 'release' | 'renewHolds'>;
  readonly clock: Clock;
  readonly redisUrl?: string | null;
  readonly operatorToken?: string | null;
  /** Keys the checksums; without it the deployment's own, which is made in the database. */
  readonly keySecret?: string | null;
  /** The identity provider, where there is one. */
  readonly oidc?: OidcSettings | null;
  readonly baseUrl?: string | null;
  /** How mail leaves; absent: none does. */
  readonly mail?: MailDoor;
  /** The address that links in mail lead to. */
  readonly publicUrl?: () => string;
  /** Requests that one source network may send, all its keys together. */
  readonly networkRate?: { readonly rps: number; readonly burst: number };
  readonly onError?: (error: unknown) => void;
}

const NETWORK_RATE = { rps: 500, burst: 1000 };

interface Parts {
  readonly identifier: Identifier;
  readonly admissions: Admissions;
  readonly rates: Rates;
  readonly slots: Slots;
  readonly deaths: Deaths;
  readonly browserTokens: BrowserTokens;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly sessionKeys: SessionKeys;
  readonly accounts: Accounts;
  readonly emailLinks: EmailLinks;
  readonly origins: Origins;
  readonly counts: SharedCounts | null;
  readonly sweeper: Sweeper;
}

/** The door that decides, and behind it what the account routes and the command line manage. */
export class AccessRoom implements Access {
  readonly keys: Keys;
  readonly sessionKeys: SessionKeys;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly browserTokens: BrowserTokens;
  readonly origins: Origins;
  readonly retention: Retention;
  readonly plans: Plans;
  readonly projects: Projects;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly emailLinks: EmailLinks;
  readonly oidc: Oidc;
  readonly #parts: Parts;
  readonly #rates: RequestRates;
  readonly #storage: Storage;
  readonly #secret: Buffer;
  readonly #secureCookies: boolean;
  readonly #tally = new Tally();

  constructor(parts: Parts, options: AccessOptions, secret: Buffer) {
    this.#parts = parts;
    this.#secret = secret;
    this.#storage = options.storage;
    this.#rates = new RequestRates(parts.rates, {
      name: 'network',
      ...(options.networkRate ?? NETWORK_RATE),
    });
    this.#secureCookies = isSecure(options);
    this.keys = parts.keys;
    this.sessionKeys = parts.sessionKeys;
    this.accounts = parts.accounts;
    this.sessions = parts.sessions;
    this.browserTokens = parts.browserTokens;
    this.origins = parts.origins;
    this.plans = new Plans(options.storage, options.clock);
    this.retention = new Retention(options.storage, options.clock);
    this.projects = new Projects(options.storage, options.clock);
    this.invitations = new Invitations(options.storage, options.clock, parts.emailLinks);
    this.emailLinks = parts.emailLinks;
    this.oidc = new Oidc({ ...options, accounts: parts.accounts, settings: options.oidc ?? null });
    this.members = new Members({ ...options, sessions: parts.sessions, sessionKeys: parts.sessionKeys });
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

  /** The console session that the request came with gets a new secret. */
  async rotateSession(presented: Presented): Promise<string> {
    const found = presentedCredential(presented);
    const credential = found === null ? null : readCredential(this.#secret, found.text);
    if (found === null || credential === null) throw invalidCredential();
    return await this.sessions.rotate(found.text, credential);
  }

  cookieFor(token: string, maxAgeMs: number): string {
    return sessionCookie(token, maxAgeMs, this.#secureCookies);
  }

  attemptCookie(state: string): string {
    return attemptCookie(state, this.#secureCookies);
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

const isSecure = (options: AccessOptions): boolean => options.baseUrl?.startsWith('https:') ?? false;

/** Redis's client is loaded only where a Redis is configured: it would slow every other start. */
async function openCounts(options: SharedCountsOptions): Promise<SharedCounts> {
  const { SharedCounts } = await import('./shared-counts.ts');
  return new SharedCounts(options);
}

export async function createAccess(options: AccessOptions): Promise<AccessRoom> {
  const { storage, clock, billing } = options;
  const onError = options.onError ?? (() => {});
  const secret = options.keySecret
    ? Buffer.from(options.keySecret, 'utf8')
    : await deploymentSecret(storage, clock, 'credentials');
  const counts = options.redisUrl ? await openCounts({ url: options.redisUrl, clock, onError }) : null;
  await counts?.ready();
  const records = new KeyRecords((id) => loadKey(storage.db, id), clock);
  const deaths = new Deaths({
    storage,
    clock,
    onError,
    onChange: (id) => (id === null ? records.forgetAll() : records.forget(id)),
  });
  await deaths.start();
  const onChange = (notice: CredentialNotice) => deaths.heardHere(notice);
  const keys = new Keys({ storage, clock, secret, onChange });
  const sessionKeys = new SessionKeys({ storage, clock, secret, onChange });
  const { mail, baseUrl } = options;
  const publicUrl = options.publicUrl ?? (() => baseUrl ?? '');
  const emailLinks = new EmailLinks({ storage, clock, mail, baseUrl: publicUrl });
  const mustConfirm = () => emailLinks.demanded;
  const sessions = new Sessions({ storage, clock, secret, onChange, mustConfirm, keys: sessionKeys });
  const origins = new Origins(storage, clock);
  const browserTokens = new BrowserTokens({ storage, clock, secret, origins });
  const slots = new Slots(counts, clock);
  const parts: Parts = {
    identifier: new Identifier({
      clock,
      secret,
      keys: records,
      sessions,
      browserTokens,
      operatorToken: options.operatorToken ?? null,
      baseUrl: options.baseUrl ?? null,
      secureCookies: isSecure(options),
    }),
    admissions: new Admissions({ billing, clock, keys: records, origins, slots, onError }),
    rates: new Rates(counts, clock),
    accounts: new Accounts({ storage, clock, keys, referralSecret: secret, links: emailLinks }),
    emailLinks,
    slots,
    deaths,
    browserTokens,
    sessions,
    keys,
    sessionKeys,
    origins,
    counts,
    sweeper: new Sweeper(storage, clock, onError),
  };
  return new AccessRoom(parts, options, secret);
}
