import type { Transaction } from 'kysely';
import { type AuditActor, appendAuditRecord, SYSTEM_ACTOR } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, NoSuchError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { printableValue } from '../platform/printable.ts';
import type { Storage } from '../storage/index.ts';
import type { OrganizationRow } from '../storage/tables/access.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { ApiKeys, IssuedKey } from './api-keys.ts';
import type { EmailLinks } from './email-links.ts';
import { recordNetworkGrant } from './network-grants.ts';
import { hashPassword } from './passwords.ts';
import { type Referral, signReferral, verifyReferral } from './referral.ts';
import { SANDBOX_SCOPES, SCOPES } from './scopes.ts';

export interface Signup {
  readonly email: string;
  readonly password: string;
  readonly name?: string | undefined;
  readonly orgName?: string | undefined;
  readonly referralToken?: string | undefined;
}

export interface CreatedAccount {
  readonly organization: { readonly id: string; readonly name: string };
  readonly project: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly key: IssuedKey;
}

export interface AccountsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly keys: ApiKeys;
  readonly referralSecret: Buffer;
  readonly links: EmailLinks;
}

const DEFAULT_PLAN = 'standard';
const SANDBOX_KEY_LIFETIME_MS = 24 * 3_600_000;
/**
 * An organization that replaces an existing account lives for 30 days, as long as anyone could wait for its
 * confirmation mail.
 */
const PLACEHOLDER_LIFETIME_MS = 30 * 86_400_000;

export const canonicalEmail = (email: string): string => email.trim().toLowerCase();

const emailTaken = (): ApiError =>
  new ApiError('email_taken', 'An account with this e-mail address already exists. Sign in instead.', {
    param: 'email',
  });

class ConcurrentSignupError extends Error {}

export class Accounts {
  readonly #options: AccountsOptions;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  async signUp(signup: Signup, remoteAddress: string): Promise<CreatedAccount> {
    const { storage, clock } = this.#options;
    const email = canonicalEmail(signup.email);
    // Every attempt counts, even a failed one. Otherwise a client could probe without limit which addresses have an
    // account.
    const taken = await storage.transaction(async (transaction) => {
      await recordNetworkGrant(transaction, 'signup', remoteAddress, clock.now());
      return await isTaken(transaction, email);
    });
    if (taken && !this.#options.links.isConfirmationRequired) throw emailTaken();
    const passwordHash = await hashPassword(signup.password, remoteAddress);
    if (taken) return await this.#asIfNew(signup, email);
    try {
      return await this.#asNew(signup, email, passwordHash);
    } catch (error) {
      if (!(error instanceof ConcurrentSignupError)) throw error;
      if (!this.#options.links.isConfirmationRequired) throw emailTaken();
      return await this.#asIfNew(signup, email);
    }
  }

  async #asNew(signup: Signup, email: string, passwordHash: string): Promise<CreatedAccount> {
    const { storage, clock } = this.#options;
    return await storage.transaction(async (transaction) => {
      const now = clock.now();
      const name = signup.name ?? '';
      const { organization, project } = await this.makeOrganization(transaction, {
        name: signup.orgName || name || (email.split('@')[0] as string),
        kind: 'account',
        referral: this.#referralOf(signup.referralToken),
      });
      const user = { id: newId('usr'), email, name };
      const inserted = await transaction
        .insertInto('users')
        .values({
          ...user,
          org_id: organization.id,
          password_hash: passwordHash,
          role: 'owner',
          oidc_subject: null,
          created_at: now,
          email_verified_at: null,
        })
        .onConflict((conflict) => conflict.column('email').doNothing())
        .executeTakeFirst();
      if (inserted.numInsertedOrUpdatedRows === 0n) throw new ConcurrentSignupError();
      await this.#options.links.sendConfirmation(transaction, user);
      const key = await this.#options.keys.createIn(transaction, {
        orgId: organization.id,
        projectId: project.id,
        name: 'Sandbox',
        environment: 'sandbox',
        scopes: SCOPES,
        budgetMicros: null,
        expiresAt: null,
        createdBy: user.id,
      });
      return { organization, project, user, key };
    });
  }

  /**
   * A signup for an address that has an account gets the same answer as a new one. Only the owner learns of it, by
   * mail.
   */
  async #asIfNew(signup: Signup, email: string): Promise<CreatedAccount> {
    const { storage, clock, keys, links } = this.#options;
    return await storage.transaction(async (trx) => {
      const owner = await trx
        .selectFrom('users')
        .select(['id', 'email'])
        .where('email', '=', email)
        .executeTakeFirst();
      if (owner !== undefined) await links.sendAddressTaken(trx, owner);
      const name = signup.name ?? '';
      const { organization, project } = await this.makeOrganization(trx, {
        name: signup.orgName || name || (email.split('@')[0] as string),
        kind: 'anonymous',
        referral: null,
      });
      const key = await keys.createIn(trx, {
        orgId: organization.id,
        projectId: project.id,
        name: 'Sandbox',
        environment: 'sandbox',
        scopes: SCOPES,
        budgetMicros: null,
        expiresAt: clock.now() + PLACEHOLDER_LIFETIME_MS,
        createdBy: null,
      });
      return { organization, project, user: { id: newId('usr'), email, name }, key };
    });
  }

  async foundIn(
    trx: Transaction<Tables>,
    person: { email: string; name: string; oidcSubject: string | null },
    from: AuditActor,
  ): Promise<string> {
    const now = this.#options.clock.now();
    if (from.from !== null) await recordNetworkGrant(trx, 'signup', from.from, now);
    const { organization } = await this.makeOrganization(trx, {
      name: person.name || (person.email.split('@')[0] as string),
      kind: 'account',
      referral: null,
    });
    const id = newId('usr');
    await trx
      .insertInto('users')
      .values({
        id,
        org_id: organization.id,
        email: person.email,
        name: person.name,
        password_hash: '',
        role: 'owner',
        oidc_subject: person.oidcSubject,
        created_at: now,
        email_verified_at: now,
      })
      .execute();
    await appendAuditRecord(trx, now, {
      orgId: organization.id,
      by: { ...from, id },
      action: 'organization.created',
      target: organization.id,
      before: null,
      after: { owner: id },
    });
    return id;
  }

  async mintSandboxKey(remoteAddress: string): Promise<IssuedKey> {
    const { storage, clock } = this.#options;
    return await storage.transaction(async (transaction) => {
      const now = clock.now();
      await recordNetworkGrant(transaction, 'sandbox_key', remoteAddress, now);
      const { organization, project } = await this.makeOrganization(transaction, {
        name: 'Sandbox',
        kind: 'anonymous',
        referral: null,
      });
      return await this.#options.keys.createIn(transaction, {
        orgId: organization.id,
        projectId: project.id,
        name: 'Minted sandbox key',
        environment: 'sandbox',
        scopes: SANDBOX_SCOPES,
        budgetMicros: null,
        expiresAt: now + SANDBOX_KEY_LIFETIME_MS,
        createdBy: null,
      });
    });
  }

  /** Changes the plan of an organization. A node that has the key in its cache follows within 30 seconds. */
  async change(orgId: string, { plan }: { plan: string }, by: AuditActor = SYSTEM_ACTOR): Promise<void> {
    await this.#options.storage.transaction(async (trx) => {
      const before = await trx
        .selectFrom('organizations')
        .select('plan')
        .where('id', '=', orgId)
        .executeTakeFirst();
      if (before === undefined) throw new NoSuchError('organization');
      const after = { plan };
      if (!(await isPlan(trx, plan)))
        throw new ApiError('not_found', `There is no plan ${printableValue(plan)}.`, { param: 'plan' });
      await trx.updateTable('organizations').set(after).where('id', '=', orgId).execute();
      const at = this.#options.clock.now();
      await appendAuditRecord(trx, at, {
        orgId,
        by,
        action: 'organization.changed',
        target: orgId,
        before,
        after,
      });
    });
  }

  async rename(orgId: string, name: string, by: AuditActor): Promise<{ id: string; name: string }> {
    await this.#options.storage.transaction(async (trx) => {
      const before = await trx
        .selectFrom('organizations')
        .select('name')
        .where('id', '=', orgId)
        .executeTakeFirstOrThrow();
      await trx.updateTable('organizations').set({ name }).where('id', '=', orgId).execute();
      const at = this.#options.clock.now();
      const after = { name };
      await appendAuditRecord(trx, at, {
        orgId,
        by,
        action: 'organization.changed',
        target: orgId,
        before,
        after,
      });
    });
    return { id: orgId, name };
  }

  async makeOrganization(
    transaction: Transaction<Tables>,
    options: { name: string; kind: OrganizationRow['kind']; referral: Referral | null; plan?: string },
  ) {
    const now = this.#options.clock.now();
    const organization = { id: newId('org'), name: options.name };
    const project = { id: newId('proj'), name: 'Default' };
    await transaction
      .insertInto('organizations')
      .values({
        ...organization,
        kind: options.kind,
        plan: options.plan ?? DEFAULT_PLAN,
        trace_entitled: 0,
        calls_entitled: 0,
        referral: options.referral === null ? null : JSON.stringify(options.referral),
        created_at: now,
      })
      .execute();
    await transaction
      .insertInto('projects')
      .values({ ...project, org_id: organization.id, created_at: now })
      .execute();
    return { organization, project };
  }

  referralToken(source: string, lifetimeMs: number): string {
    const expiresAt = this.#options.clock.now() + lifetimeMs;
    return signReferral(this.#options.referralSecret, { source, expiresAt });
  }

  #referralOf(token: string | undefined): Referral | null {
    if (token === undefined) return null;
    return verifyReferral(this.#options.referralSecret, token, this.#options.clock.now());
  }
}

async function isTaken(transaction: Transaction<Tables>, email: string): Promise<boolean> {
  const found = await transaction
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirst();
  return found !== undefined;
}

async function isPlan(transaction: Transaction<Tables>, id: string): Promise<boolean> {
  const found = await transaction.selectFrom('plans').select('id').where('id', '=', id).executeTakeFirst();
  return found !== undefined;
}
