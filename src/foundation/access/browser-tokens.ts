import type { Selectable } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Storage } from '../storage/index.ts';
import type { BrowserTokenRow } from '../storage/tables/access.ts';
import { type AllowedOrigins, ANY_ALLOWED_ORIGIN, canonicalOrigin } from './allowed-origins.ts';
import type { Principal } from './contract.ts';
import { type Credential, hashesMatch, issueCredential } from './credential.ts';
import { invalidatedCredential, invalidCredential, originNotAllowed } from './refusals.ts';

export interface NewBrowserToken {
  /** Null allows every origin of the allow-list, and programs, which send no origin. */
  readonly origin: string | null;
  readonly agentId: string | null;
  readonly ttlSeconds: number;
  readonly configurable?: readonly string[] | null;
  readonly session?: object;
  /**
   * A grant can be used any number of times until it expires, on routes that accept grants. Any other token opens one
   * session.
   */
  readonly isGrant?: boolean;
}

export interface BrowserToken {
  readonly token: string;
  readonly origin: string;
  readonly agentId: string | null;
  readonly expiresAt: number;
}

export interface BrowserTokensOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secret: Buffer;
  readonly origins: AllowedOrigins;
}

/** A web page opens one session with a token. It is bound to an origin, to the key that minted it, and to minutes. */
export class BrowserTokens {
  readonly #options: BrowserTokensOptions;

  constructor(options: BrowserTokensOptions) {
    this.#options = options;
  }

  async mint(principal: Principal, wanted: NewBrowserToken): Promise<BrowserToken> {
    const { storage, clock, secret } = this.#options;
    if (principal.keyId === null) throw new Error('Only an API key can create browser tokens.');
    const origin = await this.#originFor(principal.orgId, wanted.origin);
    const issued = issueCredential(secret, 'browser_token');
    const now = clock.now();
    const expiresAt = now + wanted.ttlSeconds * 1000;
    await storage.db
      .deleteFrom('browser_tokens')
      .where('expires_at', '<', now - 86_400_000)
      .execute();
    await storage.db
      .insertInto('browser_tokens')
      .values({
        id: `tok_${issued.id}`,
        key_id: principal.keyId,
        org_id: principal.orgId,
        origin,
        agent_id: wanted.agentId,
        hash: issued.hash,
        created_at: now,
        expires_at: expiresAt,
        used_at: null,
        configurable: wanted.configurable ? JSON.stringify(wanted.configurable) : null,
        session: wanted.session ? JSON.stringify(wanted.session) : null,
        is_grant: wanted.isGrant ? 1 : null,
      })
      .execute();
    return { token: issued.text, origin, agentId: wanted.agentId, expiresAt };
  }

  async #originFor(orgId: string, wanted: string | null): Promise<string> {
    if (wanted === null) return ANY_ALLOWED_ORIGIN;
    const origin = canonicalOrigin(wanted);
    if (origin === null) {
      throw new ApiError(
        'invalid_request',
        'origin must be a scheme and a host, with a port if it is not the default, such as https://app.example.com.',
        {
          param: 'origin',
        },
      );
    }
    if (!(await this.#options.origins.allows(orgId, origin))) {
      throw originNotAllowed('The origin is not on the organization’s allow-list.');
    }
    return origin;
  }

  async identify(credential: Credential, origin: string | undefined): Promise<Selectable<BrowserTokenRow>> {
    const row = await this.#options.storage.db
      .selectFrom('browser_tokens')
      .selectAll()
      .where('id', '=', `tok_${credential.id}`)
      .executeTakeFirst();
    if (row === undefined || !hashesMatch(row.hash, credential.hash)) throw invalidCredential();
    if (row.used_at !== null) throw invalidatedCredential('used');
    if (row.expires_at <= this.#options.clock.now()) throw invalidatedCredential('expired');
    await this.#checkOrigin(row, origin);
    return row;
  }

  async #checkOrigin(row: Selectable<BrowserTokenRow>, presented: string | undefined): Promise<void> {
    const isAny = row.origin === ANY_ALLOWED_ORIGIN;
    if (isAny && presented === undefined) return;
    const origin = presented === undefined ? null : canonicalOrigin(presented);
    if (origin === null || (!isAny && origin !== row.origin)) {
      throw originNotAllowed('The browser token was created for another origin.');
    }
    if (!(await this.#options.origins.allows(row.org_id, origin))) {
      throw originNotAllowed('The origin is not on the organization’s allow-list.');
    }
  }

  async spend(id: string): Promise<void> {
    const result = await this.#options.storage.db
      .updateTable('browser_tokens')
      .set({ used_at: this.#options.clock.now() })
      .where('id', '=', id)
      .where('used_at', 'is', null)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) throw invalidatedCredential('used');
  }

  async unspend(id: string): Promise<void> {
    await this.#options.storage.db
      .updateTable('browser_tokens')
      .set({ used_at: null })
      .where('id', '=', id)
      .execute();
  }
}
