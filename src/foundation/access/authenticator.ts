import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { BrowserTokens } from './browser-tokens.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { PlanLimits, Principal, RequestCredentials, Requirement } from './contract.ts';
import { type Credential, hashesMatch, readCredential } from './credential.ts';
import type { KeyCache, KeyRecord } from './key-cache.ts';
import { principalOf } from './key-principal.ts';
import { type PresentedCredential, presentedCredential, SESSION_COOKIE } from './presented-credential.ts';
import { invalidatedCredential, invalidCredential, missingCredential, originNotAllowed } from './refusals.ts';

export interface AuthenticatedCaller {
  readonly principal: Principal;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: KeyRecord | null;
}

export interface AuthenticatorOptions {
  readonly clock: Clock;
  readonly secret: Buffer;
  readonly keys: KeyCache;
  readonly sessions: ConsoleSessions;
  readonly browserTokens: BrowserTokens;
  readonly operatorToken: string | null;
  /** Pages of this public address, and of the host of the request, may use the session cookie. */
  readonly baseUrl: string | null;
  readonly secureCookies: boolean;
}

const UNLIMITED: PlanLimits = {
  rps: Number.MAX_SAFE_INTEGER,
  burst: Number.MAX_SAFE_INTEGER,
  concurrency: Number.MAX_SAFE_INTEGER,
  dailyCapUnits: null,
  quotaUnits: null,
  syncUpload: { bytes: 0, seconds: 0 },
  jobUpload: { bytes: 0, seconds: 0 },
  storageBytes: null,
  numbersMax: Number.MAX_SAFE_INTEGER,
};

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const needs = (requirement: Requirement): string => {
  if (requirement.kind === 'user') return 'a signed-in user';
  if (requirement.kind === 'operator') return 'the operator’s token';
  if (requirement.kind === 'member') return 'an API key or a signed-in user';
  return 'an API key';
};

export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #operatorHash: Buffer | null;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#operatorHash = options.operatorToken === null ? null : sha256(options.operatorToken);
  }

  async authenticate(presented: RequestCredentials, requirement: Requirement): Promise<AuthenticatedCaller> {
    const found = presentedCredential(presented);
    // Elsewhere, browsers send cookies without intent, so a cookie counts only where a user may be the caller.
    const takesCookie = requirement.kind === 'user' || requirement.kind === 'member';
    if (found === null || (found.from === 'cookie' && !takesCookie)) {
      throw missingCredential(needs(requirement));
    }
    if (requirement.kind === 'operator' && this.#isOperator(found.text)) return operator();
    const credential = readCredential(this.#options.secret, found.text);
    if (credential === null) throw invalidCredential();
    if (credential.kind === 'console_session') return await this.#user(found, credential, presented);
    if (credential.kind === 'browser_token') return await this.#browser(credential, presented);
    return keyIdentity(await this.#key(`key_${credential.id}`, credential));
  }

  #isOperator(text: string): boolean {
    return this.#operatorHash !== null && timingSafeEqual(this.#operatorHash, sha256(text));
  }

  async #key(id: string, credential: Credential | null): Promise<KeyRecord> {
    const record = await this.#options.keys.find(id);
    if (record === null) throw invalidCredential();
    if (record.revokedAt !== null) throw invalidatedCredential('revoked');
    // This deployment issued the text for this key, so it is the secret from before a rotation.
    if (credential !== null && !hashesMatch(record.secretHash, credential.hash))
      throw invalidatedCredential('revoked');
    if (record.expiresAt !== null && record.expiresAt <= this.#options.clock.now()) {
      throw invalidatedCredential('expired');
    }
    return record;
  }

  async #browser(credential: Credential, presented: RequestCredentials): Promise<AuthenticatedCaller> {
    const token = await this.#options.browserTokens.identify(credential, presented.origin);
    const { principal, headers, key } = keyIdentity(await this.#key(token.key_id, null));
    return {
      principal: {
        ...principal,
        kind: 'browser_token',
        credentialId: token.id,
        browser: {
          origin: token.origin,
          agentId: token.agent_id,
          configurable: token.configurable === null ? null : (JSON.parse(token.configurable) as string[]),
          ...(token.is_grant === 1 ? { isGrant: true } : {}),
          ...(token.session === null ? {} : { session: JSON.parse(token.session) as object }),
        },
      },
      headers,
      key,
    };
  }

  async #user(
    found: PresentedCredential,
    credential: Credential,
    presented: RequestCredentials,
  ): Promise<AuthenticatedCaller> {
    if (found.from === 'cookie') this.#checkCookieOrigin(presented);
    const session = await this.#options.sessions.identify(found.text, credential);
    const headers: Record<string, string> = {};
    if (session.successor !== null && found.from === 'cookie') {
      headers['set-cookie'] = sessionCookie(
        session.successor,
        session.expiresAt - this.#options.clock.now(),
        this.#options.secureCookies,
      );
    }
    return {
      principal: {
        kind: 'user',
        credentialId: session.id,
        orgId: session.orgId,
        projectId: session.projectId,
        keyId: null,
        userId: session.userId,
        person: session.person,
        environment: 'live',
        scopes: [],
        plan: 'console',
        limits: UNLIMITED,
        entitlements: [],
        expiresAt: session.expiresAt,
        browser: null,
      },
      headers,
      key: null,
    };
  }

  /** A page of another site must not act with the cookie, even where the browser ignores SameSite. */
  #checkCookieOrigin(presented: RequestCredentials): void {
    const { origin, host } = presented;
    if (origin === undefined) return;
    const own = this.#options.baseUrl === null ? null : new URL(this.#options.baseUrl).origin;
    if (origin === own || (URL.canParse(origin) && new URL(origin).host === host)) return;
    throw originNotAllowed('The session cookie is only accepted from pages of this server.');
  }
}

const keyIdentity = (key: KeyRecord): AuthenticatedCaller => ({
  principal: principalOf(key),
  headers: {},
  key,
});

function operator(): AuthenticatedCaller {
  return {
    principal: {
      kind: 'operator',
      credentialId: 'operator',
      orgId: '',
      projectId: '',
      keyId: null,
      userId: null,
      person: null,
      environment: 'live',
      scopes: [],
      plan: 'operator',
      limits: UNLIMITED,
      entitlements: [],
      expiresAt: null,
      browser: null,
    },
    headers: {},
    key: null,
  };
}

export function sessionCookie(token: string, maxAgeMs: number, secure: boolean): string {
  const age = Math.max(0, Math.floor(maxAgeMs / 1000));
  return `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure ? '; Secure' : ''}`;
}
