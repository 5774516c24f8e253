import type { Transaction } from 'kysely';
import type { Configuration } from 'openid-client';
import { type AuditActor, appendAuditRecord } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';

import type { Storage, Tables } from '../storage/index.ts';
import { type Accounts, canonicalEmail } from './accounts.ts';
import { isTaken } from './invitations.ts';
import { OidcFirstSignIns } from './oidc-first-sign-ins.ts';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface OidcSignInOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'foundIn'>;
  readonly settings: OidcSettings | null;
}

/** An invited person without an account gets a ticket and chooses first. */
export type OidcSignInResult = { readonly userId: string } | { readonly ticket: string };

interface OidcProfile {
  readonly subject: string;
  readonly email: string | null;
  readonly name: string;
}

const SIGN_IN_ATTEMPT_MS = 10 * 60_000;
const TIMEOUT_SECONDS = 10;
const LONGEST_NAME = 200;

const refused = (message: string): ApiError => new ApiError('unauthorized', message);

/**
 * Signs in by OpenID Connect: the code flow with PKCE, state and nonce. Each attempt is valid once and for ten
 * minutes.
 */
export class OidcSignIn {
  readonly #options: OidcSignInOptions;
  readonly firstSignIns: OidcFirstSignIns;
  #configuration: Promise<Configuration> | null = null;

  constructor(options: OidcSignInOptions) {
    this.#options = options;
    this.firstSignIns = new OidcFirstSignIns(options);
  }

  /**
   * Returns the provider's URL and the state that the browser must bring back. With `userId` the identity is linked
   * to that person's account.
   */
  async start(redirectUri: string, userId: string | null): Promise<{ url: string; state: string }> {
    const { storage, clock } = this.#options;
    const configuration = await this.#discover();
    const client = await import('openid-client');
    const state = client.randomState();
    const nonce = client.randomNonce();
    const verifier = client.randomPKCECodeVerifier();
    const now = clock.now();
    await storage.db.deleteFrom('oidc_attempts').where('expires_at', '<=', now).execute();
    await storage.db
      .insertInto('oidc_attempts')
      .values({ state, nonce, verifier, expires_at: now + SIGN_IN_ATTEMPT_MS, user_id: userId })
      .execute();
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return { url: url.href, state };
  }

  async finish(current: URL, state: string | null, from: AuditActor): Promise<OidcSignInResult> {
    const { storage, clock } = this.#options;
    const configuration = await this.#discover();
    const presented = current.searchParams.get('state');
    if (presented === null || presented !== state)
      throw refused('The sign-in was not started by this browser.');
    const attempt = await storage.db
      .deleteFrom('oidc_attempts')
      .where('state', '=', presented)
      .returningAll()
      .executeTakeFirst();
    if (attempt === undefined || attempt.expires_at <= clock.now()) {
      throw refused('The sign-in has expired or was already completed: start again.');
    }
    const person = await this.#exchange(configuration, current, attempt);
    return await storage.transaction((trx) => this.#accountOf(trx, person, attempt.user_id, from));
  }

  async #exchange(
    configuration: Configuration,
    current: URL,
    attempt: Pick<Tables['oidc_attempts'], 'state' | 'nonce' | 'verifier'>,
  ): Promise<OidcProfile> {
    const client = await import('openid-client');
    try {
      const tokens = await client.authorizationCodeGrant(configuration, current, {
        pkceCodeVerifier: attempt.verifier,
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('The provider sent no ID token.');
      const info = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      const { email, email_verified: verified, name } = { ...info, ...claims } as Record<string, unknown>;
      return {
        subject: `${claims.iss} ${claims.sub}`,
        email: typeof email === 'string' && verified === true ? canonicalEmail(email) : null,
        name: typeof name === 'string' ? name.slice(0, LONGEST_NAME) : '',
      };
    } catch (cause) {
      throw new ApiError('unauthorized', 'The identity provider did not confirm the sign-in.', { cause });
    }
  }

  /**
   * Finds the account by subject, links it to the signed-in person, or creates an organization; an invited person is
   * asked first. It never takes over an account with a password by its address, because its creator may be another
   * person.
   */
  async #accountOf(
    trx: Transaction<Tables>,
    { subject, email, name }: OidcProfile,
    userId: string | null,
    from: AuditActor,
  ): Promise<OidcSignInResult> {
    const known = await trx
      .selectFrom('users')
      .select('id')
      .where('oidc_subject', '=', subject)
      .executeTakeFirst();
    if (known !== undefined) return { userId: known.id };
    if (userId !== null) return { userId: await this.#join(trx, userId, subject, from) };
    if (email === null) throw refused('The identity provider did not return a verified e-mail address.');
    if (await isTaken(trx, email)) {
      throw new ApiError(
        'email_taken',
        'An account with this e-mail address already exists. Sign in to it with its password, then open /auth/oidc/start to link the identity provider.',
        { param: 'email' },
      );
    }
    const ticket = await this.firstSignIns.openIn(trx, { subject, email, name });
    if (ticket !== null) return { ticket };
    return { userId: await this.#options.accounts.foundIn(trx, { email, name, oidcSubject: subject }, from) };
  }

  async #join(trx: Transaction<Tables>, userId: string, subject: string, from: AuditActor): Promise<string> {
    const row = await trx
      .updateTable('users')
      .set({ oidc_subject: subject })
      .where('id', '=', userId)
      .returning('org_id')
      .executeTakeFirst();
    if (row === undefined) throw refused('The account was deleted.');
    await appendAuditRecord(trx, this.#options.clock.now(), {
      orgId: row.org_id,
      by: { ...from, id: userId },
      action: 'member.provider_joined',
      target: userId,
      before: null,
      after: null,
    });
    return userId;
  }

  async #discover(): Promise<Configuration> {
    const { settings } = this.#options;
    if (settings === null) {
      throw new ApiError('not_found', 'Sign-in by OpenID Connect is off: TRUNKLINE_OIDC_ISSUER is not set.');
    }
    this.#configuration ??= discover(settings);
    try {
      return await this.#configuration;
    } catch (cause) {
      this.#configuration = null;
      throw new ApiError('unavailable', 'The identity provider does not respond.', { retryAfter: 5, cause });
    }
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const client = await import('openid-client');
  const url = new URL(issuer);
  const plain = url.protocol === 'http:' && LOOPBACK.has(url.hostname);
  return await client.discovery(url, clientId, clientSecret, undefined, {
    timeout: TIMEOUT_SECONDS,
    ...(plain ? { execute: [client.allowInsecureRequests] } : {}),
  });
}

export const ATTEMPT_COOKIE = 'trunkline_oidc';

export const attemptCookie = (state: string, secure: boolean): string =>
  `${ATTEMPT_COOKIE}=${state}; Path=/auth/oidc; HttpOnly; SameSite=Lax; Max-Age=${state === '' ? 0 : SIGN_IN_ATTEMPT_MS / 1000}${secure ? '; Secure' : ''}`;
