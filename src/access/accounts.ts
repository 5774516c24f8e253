import type { Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Storage } from '../storage/index.ts';
import type { OrganizationRow } from '../storage/tables/access.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { IssuedKey, Keys } from './keys.ts';
import { checkNetworkCap, grantToNetwork } from './network-grants.ts';
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

export interface Account {
  readonly organization: { readonly id: string; readonly name: string };
  readonly project: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly key: IssuedKey;
}

export interface AccountsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly referralSecret: Buffer;
}

const DEFAULT_PLAN = 'standard';
const MINTED_KEY_MS = 24 * 3_600_000;

/** Addresses that differ only in case are one account. */
export const canonicalEmail = (email: string): string => email.trim().toLowerCase();

const emailTaken = (): ApiError =>
  new ApiError('email_taken', 'There is an account with this e-mail address already.', { param: 'email' });

/** Makes organizations: by signup, by minting a sandbox key, by the operator. */
export class Accounts {
  readonly #options: AccountsOptions;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  async signUp(signup: Signup, remoteAddress: string): Promise<Account> {
    const { storage, clock } = this.#options;
    const email = canonicalEmail(signup.email);
    // Looked at before the costly hash, and again in the transaction, where it is decided.
    await storage.transaction(async (transaction) => {
      await checkNetworkCap(transaction, 'signup', remoteAddress, clock.now());
      if (await isTaken(transaction, email)) throw emailTaken();
    });
    const passwordHash = await hashPassword(signup.password);
    return await storage.transaction(async (transaction) => {
      const now = clock.now();
      await grantToNetwork(transaction, 'signup', remoteAddress, now);
      const name = signup.name ?? '';
      const { organization, project } = await this.makeOrganization(transaction, {
        name: signup.orgName || name || (email.split('@')[0] as string),
        kind: 'account',
        referral: this.#referralOf(signup.referralToken),
      });
      const user = { id: newId('usr'), email, name };
      const inserted = await transaction
        .insertInto('users')
        .values({ ...user, org_id: organization.id, password_hash: passwordHash, created_at: now })
        .onConflict((conflict) => conflict.column('email').doNothing())
        .executeTakeFirst();
      if (inserted.numInsertedOrUpdatedRows === 0n) throw emailTaken();
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

  /** A sandbox key in an organization of its own, for whoever asks. */
  async mintSandboxKey(remoteAddress: string): Promise<IssuedKey> {
    const { storage, clock } = this.#options;
    return await storage.transaction(async (transaction) => {
      const now = clock.now();
      await grantToNetwork(transaction, 'sandbox_key', remoteAddress, now);
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
        expiresAt: now + MINTED_KEY_MS,
        createdBy: null,
      });
    });
  }

  /** The operator's switches. A key that a node has seen lately follows within half a minute. */
  async change(orgId: string, change: { plan?: string; traceEntitled?: boolean }): Promise<void> {
    const { plan, traceEntitled } = change;
    const result = await this.#options.storage.db
      .updateTable('organizations')
      .set({
        ...(plan === undefined ? {} : { plan }),
        ...(traceEntitled === undefined ? {} : { trace_entitled: traceEntitled ? 1 : 0 }),
      })
      .where('id', '=', orgId)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) throw new ApiError('not_found', 'There is no such organization.');
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

  /** A token for a partner's sign-up links; the account that comes with it is attributed to `source`. */
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
