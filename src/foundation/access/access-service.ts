import type { Billing } from '../billing/index.ts';
import type { BackgroundTasks } from '../platform/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';
import { AccessController, type AccessControllerParts } from './access-controller.ts';
import { Accounts } from './accounts.ts';
import { Admissions } from './admission.ts';
import { AllowedOrigins } from './allowed-origins.ts';
import { ApiKeys } from './api-keys.ts';
import { Authenticator, sessionCookie } from './authenticator.ts';
import { BrowserTokens } from './browser-tokens.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';
import { ConsoleSessions } from './console-sessions.ts';
import type { Entitlement, OutboundMail, RequestCredentials } from './contract.ts';
import { readCredential } from './credential.ts';
import { type CredentialNotice, CredentialRevocations } from './credential-revocations.ts';
import { deploymentSecret } from './deployment-secret.ts';
import { EmailLinks } from './email-links.ts';
import { Entitlements } from './entitlements.ts';
import { ExpiredCredentialSweep } from './expired-credential-sweep.ts';
import { ImpliedPrincipals } from './implied-principals.ts';
import { Invitations } from './invitations.ts';
import { KeyCache, loadKey } from './key-cache.ts';
import { MailRecipients } from './mail-recipients.ts';
import { Members } from './members.ts';
import { attemptCookie, type OidcSettings, OidcSignIn } from './oidc-sign-in.ts';
import { PasswordResets } from './password-resets.ts';
import { Plans } from './plans.ts';
import { presentedCredential } from './presented-credential.ts';
import { Projects } from './projects.ts';
import { RateLimiter } from './rate-limiter.ts';
import { invalidCredential } from './refusals.ts';
import { RetentionPolicies } from './retention-policies.ts';
import type { Sealer } from './sealer.ts';
import { SessionKeys } from './session-keys.ts';
import type { SharedRedis, SharedRedisOptions } from './shared-redis.ts';
import { TenantDeactivation } from './tenant-deactivation.ts';

export interface AccessOptions {
  readonly storage: Storage;
  readonly billing: Pick<Billing, 'reserve' | 'releaseReservation' | 'renewReservations'>;
  readonly clock: Clock;
  readonly redisUrl?: string | null;
  readonly operatorToken?: string | null;
  readonly sealer: Sealer;
  /**
   * It keys the checksums of credentials. Without it, the deployment uses a secret of its own that it stores in the
   * database.
   */
  readonly keySecret?: string | null;
  readonly oidc?: OidcSettings | null;
  readonly baseUrl?: string | null;
  readonly entitledForAll?: readonly Entitlement[];
  readonly mail?: OutboundMail;
  readonly publicUrl?: () => string;
  readonly networkRate?: { readonly rps: number; readonly burst: number };
  readonly background: BackgroundTasks;
  readonly onError?: (error: unknown) => void;
}

interface AccessServiceParts extends AccessControllerParts {
  readonly sessions: ConsoleSessions;
  readonly keys: ApiKeys;
  readonly sessionKeys: SessionKeys;
  readonly accounts: Accounts;
  readonly emailLinks: EmailLinks;
  readonly recipients: MailRecipients;
  readonly onChange: (notice: CredentialNotice) => void;
  readonly entitlements: Entitlements;
}

export class AccessService extends AccessController {
  readonly keys: ApiKeys;
  readonly sessionKeys: SessionKeys;
  readonly accounts: Accounts;
  readonly sessions: ConsoleSessions;
  readonly browserTokens: BrowserTokens;
  readonly origins: AllowedOrigins;
  readonly retention: RetentionPolicies;
  readonly plans: Plans;
  readonly entitlements: Entitlements;
  readonly impliedPrincipals: ImpliedPrincipals;
  readonly projects: Projects;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly emailLinks: EmailLinks;
  readonly recipients: MailRecipients;
  readonly passwords: PasswordResets;
  readonly deactivation: TenantDeactivation;
  readonly oidc: OidcSignIn;
  readonly #secret: Buffer;
  readonly #secureCookies: boolean;

  constructor(parts: AccessServiceParts, options: AccessOptions, secret: Buffer) {
    super(parts, options);
    this.#secret = secret;
    this.#secureCookies = isSecure(options);
    this.keys = parts.keys;
    this.sessionKeys = parts.sessionKeys;
    this.accounts = parts.accounts;
    this.sessions = parts.sessions;
    this.browserTokens = parts.browserTokens;
    this.origins = parts.origins;
    this.entitlements = parts.entitlements;
    this.impliedPrincipals = new ImpliedPrincipals({ ...options, entitlements: parts.entitlements });
    this.plans = new Plans(options.storage, options.clock);
    this.retention = new RetentionPolicies(options.storage, options.clock);
    this.projects = new Projects(options.storage, options.clock);
    this.invitations = new Invitations(options.storage, options.clock, parts.emailLinks);
    this.emailLinks = parts.emailLinks;
    this.recipients = parts.recipients;
    this.oidc = new OidcSignIn({ ...options, accounts: parts.accounts, settings: options.oidc ?? null });
    const { sessions, sessionKeys, emailLinks: links } = parts;
    this.deactivation = new TenantDeactivation({ ...options, sessions, onChange: parts.onChange });
    this.passwords = new PasswordResets({ ...options, links, sessions });
    this.members = new Members({ ...options, sessions, sessionKeys, invitations: this.invitations });
  }

  async rotateSession(presented: RequestCredentials): Promise<string> {
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
}

const isSecure = (options: AccessOptions): boolean => options.baseUrl?.startsWith('https:') ?? false;

/** Redis's client is loaded only where a Redis is configured: it would slow every other start. */
async function openCounts(options: SharedRedisOptions): Promise<SharedRedis> {
  const { SharedRedis } = await import('./shared-redis.ts');
  return new SharedRedis(options);
}

export async function createAccess(options: AccessOptions): Promise<AccessService> {
  const { storage, clock, billing, background } = options;
  const onError = options.onError ?? (() => {});
  const secret = options.keySecret
    ? Buffer.from(options.keySecret, 'utf8')
    : await deploymentSecret(storage, clock, 'credentials', options.sealer);
  const counts = options.redisUrl ? await openCounts({ url: options.redisUrl, clock, onError }) : null;
  await counts?.ready();
  const entitlements: Entitlements = new Entitlements({
    storage,
    clock,
    forAll: options.entitledForAll ?? [],
    onChange: (notice) => revocations.onLocalNotice(notice),
  });
  const records = new KeyCache((id) => loadKey(storage.db, entitlements, id), clock);
  const revocations: CredentialRevocations = new CredentialRevocations({
    storage,
    clock,
    background,
    onError,
    onChange: (id) => (id === null ? records.forgetAll() : records.forget(id)),
  });
  await revocations.start();
  const onChange = (notice: CredentialNotice) => revocations.onLocalNotice(notice);
  const keys = new ApiKeys({ storage, clock, secret, onChange });
  const sessionKeys = new SessionKeys({ storage, clock, secret, onChange });
  const { mail, baseUrl } = options;
  const publicUrl = options.publicUrl ?? (() => baseUrl ?? '');
  const emailLinks = new EmailLinks({ storage, clock, mail, baseUrl: publicUrl });
  const mustConfirm = () => emailLinks.isConfirmationRequired;
  const sessions = new ConsoleSessions({ storage, clock, secret, onChange, mustConfirm, keys: sessionKeys });
  const origins = new AllowedOrigins(storage, clock);
  const browserTokens = new BrowserTokens({ storage, clock, secret, origins });
  const slots = new ConcurrencyLimiter(counts, clock);
  const parts: AccessServiceParts = {
    authenticator: new Authenticator({
      clock,
      secret,
      keys: records,
      sessions,
      browserTokens,
      operatorToken: options.operatorToken ?? null,
      baseUrl: options.baseUrl ?? null,
      secureCookies: isSecure(options),
    }),
    admissions: new Admissions({ billing, clock, background, keys: records, origins, slots, onError }),
    rates: new RateLimiter(counts, clock),
    accounts: new Accounts({ storage, clock, keys, referralSecret: secret, links: emailLinks }),
    emailLinks,
    onChange,
    recipients: new MailRecipients({ storage, clock, secret, mail, baseUrl: publicUrl }),
    entitlements,
    concurrency: slots,
    revocations,
    browserTokens,
    sessions,
    keys,
    sessionKeys,
    origins,
    redis: counts,
    sweeper: new ExpiredCredentialSweep(storage, clock, background),
  };
  return new AccessService(parts, options, secret);
}
