import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import { type AuditActor, appendAuditRecord } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { randomBase62 } from '../platform/ids.ts';
import type { Storage, Tables } from '../storage/index.ts';
import { canonicalEmail } from './accounts.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { Principal } from './contract.ts';
import type { EmailLinks } from './email-links.ts';
import { recordNetworkGrant } from './network-grants.ts';
import { hashPassword, passwordMatches } from './passwords.ts';

const LIFETIME_MS = 30 * 60_000;
const TOKEN = /^[0-9A-Za-z]{43}$/;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const isExpired = (): ApiError =>
  new ApiError('not_found', 'The link is unknown, was used or has expired: request a new one.');

export interface PasswordResetsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly links: EmailLinks;
  readonly sessions: Pick<ConsoleSessions, 'endAllIn' | 'ended'>;
}

/** Changes of passwords: by whoever knows the present one, or by a link that goes to the address of the account. */
export class PasswordResets {
  readonly #options: PasswordResetsOptions;

  constructor(options: PasswordResetsOptions) {
    this.#options = options;
  }

  /** Mails a link where the address has an account with a password; whether it has is told to nobody. While a link is open no other is
   * mailed, so that a stranger who asks voids none, and the requests of each network are capped, so that a stranger uses up
   * nobody else's. */
  async requestReset(email: string, remoteAddress: string): Promise<void> {
    const { storage, clock, links } = this.#options;
    if (!links.isConfirmationRequired) return;
    await storage.transaction(async (trx) => {
      await recordNetworkGrant(trx, 'password_reset', remoteAddress, clock.now());
      const user = await this.#find(trx, email);
      if (user === undefined || user.password_hash === '' || (await this.#hasOpen(trx, user.id))) return;
      await links.sendPasswordReset(trx, user, await this.#issue(trx, user.id));
    });
  }

  /** The token of a link, for the operator to hand over. */
  async issueFor(email: string, by: AuditActor): Promise<string> {
    const { storage, clock } = this.#options;
    return await storage.transaction(async (trx) => {
      const user = await this.#find(trx, email);
      if (user === undefined)
        throw new ApiError('not_found', `There is no account with the address ${email}.`);
      await appendAuditRecord(trx, clock.now(), {
        orgId: user.org_id,
        by,
        action: 'member.password_reset_issued',
        target: user.id,
        before: null,
        after: null,
      });
      return await this.#issue(trx, user.id);
    });
  }

  /** Sets the password by a link and ends every session of the person. */
  async reset(token: string, password: string, from: AuditActor): Promise<{ readonly email: string }> {
    const { storage, clock, links, sessions } = this.#options;
    const hash = hashOf(token);
    const open = TOKEN.test(token) ? await this.#open(storage.db, hash) : undefined;
    if (open === undefined) throw isExpired();
    const passwordHash = await hashPassword(password, from.from ?? '');
    const [user, ended] = await storage.transaction(async (trx) => {
      const taken = await this.#open(trx, hash);
      if (taken === undefined) throw isExpired();
      await trx.deleteFrom('password_resets').where('hash', '=', hash).execute();
      await this.#write(trx, { id: taken.id, org_id: taken.org_id }, passwordHash, 'member.password_reset', {
        ...from,
        id: taken.id,
      });
      // With a mail server, the link came by mail and thereby proves the address.
      if (links.isConfirmationRequired)
        await trx
          .updateTable('users')
          .set({ email_verified_at: clock.now() })
          .where('id', '=', taken.id)
          .where('email_verified_at', 'is', null)
          .execute();
      return [taken, await sessions.endAllIn(trx, taken.id)] as const;
    });
    sessions.ended(ended);
    return { email: user.email };
  }

  /** Ends the person's other sessions. */
  async change(caller: Principal, current: string, password: string, by: AuditActor): Promise<void> {
    const { storage, sessions } = this.#options;
    const user = await storage.db
      .selectFrom('users')
      .select(['id', 'org_id', 'password_hash'])
      .where('id', '=', caller.userId as string)
      .executeTakeFirstOrThrow();
    const known = user.password_hash === '' ? null : user.password_hash;
    if (!(await passwordMatches(current, known, by.from ?? '')))
      throw new ApiError('invalid_request', 'The current password is wrong.', { param: 'current' });
    const passwordHash = await hashPassword(password, by.from ?? '');
    const ended = await storage.transaction(async (trx) => {
      await this.#write(trx, user, passwordHash, 'member.password_changed', by);
      await trx.deleteFrom('password_resets').where('user_id', '=', user.id).execute();
      return await sessions.endAllIn(trx, user.id, caller.credentialId);
    });
    sessions.ended(ended);
  }

  async #write(
    trx: Transaction<Tables>,
    user: { readonly id: string; readonly org_id: string },
    passwordHash: string,
    action: string,
    by: AuditActor,
  ): Promise<void> {
    await trx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', user.id).execute();
    const target = user.id;
    await appendAuditRecord(trx, this.#options.clock.now(), {
      orgId: user.org_id,
      by,
      action,
      target,
      before: null,
      after: null,
    });
  }

  /** A second link, which the operator alone issues, makes the first useless. */
  async #issue(trx: Transaction<Tables>, userId: string): Promise<string> {
    const token = randomBase62(43);
    const issued = { hash: hashOf(token), expires_at: this.#options.clock.now() + LIFETIME_MS };
    await trx
      .insertInto('password_resets')
      .values({ user_id: userId, ...issued })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(issued))
      .execute();
    return token;
  }

  async #find(trx: Transaction<Tables>, email: string) {
    return await trx
      .selectFrom('users')
      .select(['id', 'org_id', 'email', 'password_hash'])
      .where('email', '=', canonicalEmail(email))
      .executeTakeFirst();
  }

  async #hasOpen(trx: Transaction<Tables>, userId: string): Promise<boolean> {
    const open = await trx
      .selectFrom('password_resets')
      .select('user_id')
      .where('user_id', '=', userId)
      .where('expires_at', '>', this.#options.clock.now())
      .executeTakeFirst();
    return open !== undefined;
  }

  async #open(db: Storage['db'] | Transaction<Tables>, hash: string) {
    return await db
      .selectFrom('password_resets as r')
      .innerJoin('users as u', 'u.id', 'r.user_id')
      .select(['u.id', 'u.email', 'u.org_id'])
      .where('r.hash', '=', hash)
      .where('r.expires_at', '>', this.#options.clock.now())
      .executeTakeFirst();
  }
}
