import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { randomBase62 } from '../platform/ids.ts';
import type { Storage, Tables } from '../storage/index.ts';
import { NO_MAIL, type OutboundMail } from './contract.ts';
import { countMailAgainstCaps, nameInMail } from './mail-caps.ts';

const LIFETIME_MS = 7 * 86_400_000;
const TOKEN = /^[0-9A-Za-z]{43}$/;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const isExpired = (): ApiError => new ApiError('not_found', 'The link is unknown, was used or has expired.');

export interface EmailLinksOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly mail?: OutboundMail | undefined;
  /** The public address of this server. */
  readonly baseUrl: () => string;
}

/** The operator's reset links lead to this page too. */
export const resetPage = (token: string): string => `/console#/reset/${token}`;

/** Mail about accounts, and the links in it that confirm an address. */
export class EmailLinks {
  readonly #options: EmailLinksOptions;
  readonly #mail: OutboundMail;

  constructor(options: EmailLinksOptions) {
    this.#options = options;
    this.#mail = options.mail ?? NO_MAIL;
  }

  /** Whether an address must be confirmed before its account is signed in to: without mail it cannot be. */
  get isConfirmationRequired(): boolean {
    return this.#mail.isConfigured;
  }

  /** Asks whoever reads the address of a new account to confirm it. */
  async sendConfirmation(
    trx: Transaction<Tables>,
    user: { readonly id: string; readonly email: string },
  ): Promise<void> {
    if (!this.#mail.isConfigured) return;
    const token = randomBase62(43);
    const expires_at = this.#options.clock.now() + LIFETIME_MS;
    await trx
      .insertInto('email_links')
      .values({ hash: hashOf(token), user_id: user.id, expires_at })
      .execute();
    await this.#mail.enqueue(trx, user.id, {
      to: [user.email],
      subject: 'Confirm your email address',
      text: `An account was created with this email address. To confirm the address, open this link within 7 days, then sign in:\n\n${this.#options.baseUrl()}/auth/email/${token}\n\nIf you did not create the account, ignore this email. Nobody can use the account until the address is confirmed.\n`,
    });
  }

  /** Tells the owner of an address that somebody tried to make another account with it. */
  async sendAddressTaken(
    trx: Transaction<Tables>,
    user: { readonly id: string; readonly email: string },
  ): Promise<void> {
    if (!(await this.#mayNotify(trx, user.email))) return;
    await this.#mail.enqueue(trx, user.id, {
      to: [user.email],
      subject: 'You already have an account',
      text: `Someone tried to create an account with this email address, which already has one. If it was you, sign in instead:\n\n${this.#options.baseUrl()}/\n\nIf it was not you, ignore this email.\n`,
    });
  }

  /** Whoever makes a server write to an address again and again does so three times a day at most. */
  async #mayNotify(trx: Transaction<Tables>, email: string): Promise<boolean> {
    try {
      await countMailAgainstCaps(trx, { kind: 'notice', orgId: null, email }, this.#options.clock.now());
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  /** The link leads to a page: the token stays in the browser until it is sent with the password. */
  async sendPasswordReset(
    trx: Transaction<Tables>,
    user: { readonly id: string; readonly email: string },
    token: string,
  ): Promise<void> {
    await this.#mail.enqueue(trx, user.id, {
      to: [user.email],
      subject: 'Reset your password',
      text: `Someone requested a password reset for the account with this email address. To set a new password, open this link within 30 minutes. It works once:\n\n${this.#options.baseUrl()}${resetPage(token)}\n\nIf you did not request this, ignore this email. Your password does not change.\n`,
    });
  }

  async sendInvitation(
    trx: Transaction<Tables>,
    to: { readonly orgId: string; readonly email: string },
    token: string,
  ): Promise<void> {
    const { name } = await trx
      .selectFrom('organizations')
      .select('name')
      .where('id', '=', to.orgId)
      .executeTakeFirstOrThrow();
    await this.#mail.enqueue(trx, to.orgId, {
      to: [to.email],
      subject: 'You are invited to an organization on Trunkline',
      text: `An organization that calls itself "${nameInMail(name)}" invites you to join it. To accept the invitation, open this link within 7 days. It works once:\n\n${this.#options.baseUrl()}/auth/invitations/${token}\n\nIf you do not know the organization, ignore this email. You do not join unless you accept.\n`,
    });
  }

  /** Names the address that the link confirms. */
  async describe(token: string): Promise<{ readonly email: string; readonly expiresAt: number }> {
    const row = TOKEN.test(token) ? await this.#open(hashOf(token)) : undefined;
    if (row === undefined) throw isExpired();
    return { email: row.email, expiresAt: Number(row.expires_at) };
  }

  async confirm(token: string): Promise<{ readonly email: string }> {
    const { email } = await this.describe(token);
    const { storage, clock } = this.#options;
    await storage.transaction(async (trx) => {
      const link = await trx
        .deleteFrom('email_links')
        .where('hash', '=', hashOf(token))
        .returning('user_id')
        .executeTakeFirst();
      if (link === undefined) throw isExpired();
      await trx
        .updateTable('users')
        .set({ email_verified_at: clock.now() })
        .where('id', '=', link.user_id)
        .execute();
    });
    return { email };
  }

  #open(hash: string) {
    return this.#options.storage.db
      .selectFrom('email_links as l')
      .innerJoin('users as u', 'u.id', 'l.user_id')
      .select(['u.email', 'l.expires_at'])
      .where('l.hash', '=', hash)
      .where('l.expires_at', '>', this.#options.clock.now())
      .executeTakeFirst();
  }
}
