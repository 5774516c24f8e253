import type { Billing } from '../billing/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';
import { Accounts } from './accounts.ts';
import { Admissions } from './admission.ts';
import { BrowserTokens } from './browser-tokens.ts';
import { Closing } from './closing.ts';
import type { Entitlement, MailDoor, Presented } from './contract.ts';
import { readCredential } from './credential.ts';
import { type CredentialNotice, Deaths } from './deaths.ts';
import { deploymentSecret } from './deployment-secret.ts';
import { Door, type DoorParts } from './door.ts';
import { EmailLinks } from './email-links.ts';
import { Entitlements } from './entitlements.ts';
import { Identifier, sessionCookie } from './identify.ts';
import { Invitations } from './invitations.ts';
import { KeyRecords, loadKey } from './key-records.ts';
import { Keys } from './keys.ts';
import { MailRecipients } from './mail-recipients.ts';
import { Members } from './members.ts';
import { attemptCookie, Oidc, type OidcSettings } from './oidc.ts';
import { Origins } from './origins.ts';
import { PasswordResets } from './password-resets.ts';
import { Plans } from './plans.ts';
import { presentedCredential } from './presented.ts';
import { Projects } from './projects.ts';
import { Rates } from './rates.ts';
import { invalidCredential } from './refusals.ts';
import { Retention } from './retention.ts';
import type { Sealer } from './sealer.ts';
import { SessionKeys } from './session-keys.ts';
import { Sessions } from './sessions.ts';
import type { SharedCounts, SharedCountsOptions } from './shared-counts.ts';
import { Slots } from './slots.ts';
import { Standings } from './standings.ts';
import { Sweeper } from './sweeper.ts';

export interface AccessOptions {
  readonly storage: Storage;
  readonly billing: Pick<Billing, 'hold' | 'release' | 'renewHolds'>;
  readonly clock: Clock;
  readonly redisUrl?: string | null;
  readonly operatorToken?: string | null;
  /** Seals what the deployment keeps in the database. */
  readonly sealer: Sealer;
  /** Keys the checksums; without it the deployment's own, which is made in the database. */
  readonly keySecret?: string | null;
  /** The identity provider, where there is one. */
  readonly oidc?: OidcSettings | null;
  readonly baseUrl?: string | null;
  /** What every organization has here without a grant, in both environments. */
  readonly entitledForAll?: readonly Entitlement[];
  /** How mail leaves; absent: none does. */
  readonly mail?: MailDoor;
  /** The address that links in mail lead to. */
  readonly publicUrl?: () => string;
  /** Requests that one source network may send, all its keys together. */
  readonly networkRate?: { readonly rps: number; readonly burst: number };
  readonly onError?: (error: unknown) => void;
}

interface Parts extends DoorParts {
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly sessionKeys: SessionKeys;
  readonly accounts: Accounts;
  readonly emailLinks: EmailLinks;
  readonly recipients: MailRecipients;
  readonly onChange: (notice: CredentialNotice) => void;
  readonly entitlements: Entitlements;
}

/** The door, and behind it what the account routes and the command line manage. */
export class AccessRoom extends Door {
  readonly keys: Keys;
  readonly sessionKeys: SessionKeys;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly browserTokens: BrowserTokens;
  readonly origins: Origins;
  readonly retention: Retention;
  readonly plans: Plans;
  readonly entitlements: Entitlements;
  readonly standings: Standings;
  readonly projects: Projects;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly emailLinks: EmailLinks;
  readonly recipients: MailRecipients;
  readonly passwords: PasswordResets;
  readonly closing: Closing;
  readonly oidc: Oidc;
  readonly #secret: Buffer;
  readonly #secureCookies: boolean;

  constructor(parts: Parts, options: AccessOptions, secret: Buffer) {
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
    this.standings = new Standings({ ...options, entitlements: parts.entitlements });
    this.plans = new Plans(options.storage, options.clock);
    this.retention = new Retention(options.storage, options.clock);
    this.projects = new Projects(options.storage, options.clock);
    this.invitations = new Invitations(options.storage, options.clock, parts.emailLinks);
    this.emailLinks = parts.emailLinks;
    this.recipients = parts.recipients;
    this.oidc = new Oidc({ ...options, accounts: parts.accounts, settings: options.oidc ?? null });
    const { sessions, sessionKeys, emailLinks: links } = parts;
    this.closing = new Closing({ ...options, sessions, onChange: parts.onChange });
    this.passwords = new PasswordResets({ ...options, links, sessions });
    this.members = new Members({ ...options, sessions, sessionKeys, invitations: this.invitations });
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
    : await deploymentSecret(storage, clock, 'credentials', options.sealer);
  const counts = options.redisUrl ? await openCounts({ url: options.redisUrl, clock, onError }) : null;
  await counts?.ready();
  const entitlements: Entitlements = new Entitlements({
    storage,
    clock,
    forAll: options.entitledForAll ?? [],
    onChange: (notice) => deaths.heardHere(notice),
  });
  const records = new KeyRecords((id) => loadKey(storage.db, entitlements, id), clock);
  const deaths: Deaths = new Deaths({
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
    onChange,
    recipients: new MailRecipients({ storage, clock, secret, mail, baseUrl: publicUrl }),
    entitlements,
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
