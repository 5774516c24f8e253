import { createHash } from 'node:crypto';
import type { Selectable, Transaction } from 'kysely';
import { type AuditActor, appendAuditRecord } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { newId, randomBase62 } from '../platform/ids.ts';
import type { Storage, Tables } from '../storage/index.ts';
import type { InvitationRow } from '../storage/tables/access.ts';
import { canonicalEmail } from './accounts.ts';
import type { MemberRole, Principal } from './contract.ts';
import type { EmailLinks } from './email-links.ts';
import { countMailAgainstCaps } from './mail-caps.ts';
import { memberAuditState, setProjects } from './members.ts';
import { recordNetworkGrant } from './network-grants.ts';
import { hashPassword } from './passwords.ts';
import { mustExist } from './projects.ts';
import { reachesAllProjects, requireRole } from './roles.ts';

const LIFETIME_MS = 7 * 86_400_000;
const TOKEN = /^[0-9A-Za-z]{43}$/;

export interface Invitation {
  readonly id: string;
  readonly orgId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly projectIds: readonly string[] | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface NewInvitation {
  readonly email: string;
  readonly role: MemberRole;
  readonly projectIds: readonly string[];
}

export interface JoiningMember {
  readonly name: string;
  readonly passwordHash: string;
  readonly oidcSubject: string | null;
  readonly isVerified: boolean;
}

const isExpired = (): ApiError =>
  new ApiError('not_found', 'The invitation is unknown, or it was accepted, withdrawn or has expired.');

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const invitationOf = (row: Selectable<InvitationRow>): Invitation => ({
  id: row.id,
  orgId: row.org_id,
  email: row.email,
  role: row.role,
  projectIds: reachesAllProjects(row.role) ? null : (JSON.parse(row.project_ids) as string[]),
  createdAt: Number(row.created_at),
  expiresAt: Number(row.expires_at),
});

export class Invitations {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #links: EmailLinks;

  constructor(storage: Storage, clock: Clock, links: EmailLinks) {
    this.#storage = storage;
    this.#clock = clock;
    this.#links = links;
  }

  /**
   * Returns the token of the link only where no mail carries it, because the inviter must not act as the invited
   * person. A second invitation of the same address replaces the first. The answer never reveals whether the address
   * has an account.
   */
  async invite(
    caller: Principal,
    wanted: NewInvitation,
    by: AuditActor,
  ): Promise<{ invitation: Invitation; token: string | null }> {
    if (wanted.role === 'owner') requireRole(caller, 'owner');
    const { orgId } = caller;
    const { invitation, token } = await this.#make(orgId, wanted, by, async (trx, email) => {
      await requireNotMember(trx, orgId, email);
      await countMailAgainstCaps(trx, { kind: 'invitation', orgId, email }, this.#clock.now());
    });
    return { invitation, token: this.#links.isConfirmationRequired ? null : token };
  }

  /** The operator needs no role: an organization that was created with a key has no member who could invite. */
  async inviteTo(
    orgId: string,
    wanted: NewInvitation,
    by: AuditActor,
  ): Promise<{ invitation: Invitation; token: string }> {
    return await this.#make(orgId, wanted, by, (trx, email) => requireNotMember(trx, orgId, email));
  }

  async #make(
    orgId: string,
    wanted: NewInvitation,
    by: AuditActor,
    demand: (trx: Transaction<Tables>, email: string) => Promise<void>,
  ): Promise<{ invitation: Invitation; token: string }> {
    const token = randomBase62(43);
    const now = this.#clock.now();
    const row: InvitationRow = {
      id: newId('invt'),
      org_id: orgId,
      email: canonicalEmail(wanted.email),
      role: wanted.role,
      project_ids: JSON.stringify([...new Set(wanted.projectIds)]),
      hash: hashOf(token),
      invited_by: by.id,
      created_at: now,
      expires_at: now + LIFETIME_MS,
    };
    const invitation = invitationOf(row);
    await this.#storage.transaction(async (trx) => {
      await mustExist(trx, orgId, wanted.projectIds);
      await demand(trx, row.email);
      await trx
        .deleteFrom('invitations')
        .where('org_id', '=', orgId)
        .where('email', '=', row.email)
        .execute();
      await trx.insertInto('invitations').values(row).execute();
      await appendAuditRecord(trx, now, {
        orgId,
        by,
        action: 'invitation.created',
        target: row.id,
        before: null,
        after: memberAuditState(invitation),
      });
      await this.#links.sendInvitation(trx, { orgId, email: row.email }, token);
    });
    return { invitation, token };
  }

  async list(orgId: string): Promise<Invitation[]> {
    const rows = await this.#storage.db
      .selectFrom('invitations')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('expires_at', '>', this.#clock.now())
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(invitationOf);
  }

  async withdraw(orgId: string, id: string, by: AuditActor): Promise<void> {
    await this.#storage.transaction(async (trx) => {
      const row = await trx
        .deleteFrom('invitations')
        .where('org_id', '=', orgId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw isExpired();
      await appendAuditRecord(trx, this.#clock.now(), {
        orgId,
        by,
        action: 'invitation.withdrawn',
        target: id,
        before: memberAuditState(invitationOf(row)),
        after: null,
      });
    });
  }

  async describe(token: string): Promise<Invitation & { readonly orgName: string }> {
    const row = await this.#storage.db
      .selectFrom('invitations as i')
      .innerJoin('organizations as o', 'o.id', 'i.org_id')
      .selectAll('i')
      .select('o.name as org_name')
      .where('i.hash', '=', TOKEN.test(token) ? hashOf(token) : '')
      .where('i.expires_at', '>', this.#clock.now())
      .executeTakeFirst();
    if (row === undefined) throw isExpired();
    return { ...invitationOf(row), orgName: row.org_name };
  }

  /** Creates an account and returns its id. A person with an account signs in and accepts with it. */
  async accept(token: string, person: { name: string; password: string }, from: AuditActor): Promise<string> {
    const { email } = await this.describe(token);
    const taken = await this.#storage.transaction(async (trx) => {
      if (!(await isTaken(trx, email))) return false;
      // The invitation counts like a signup. Otherwise a client could probe by invitations which addresses have an
      // account.
      await recordNetworkGrant(trx, 'signup', from.from ?? '', this.#clock.now());
      return true;
    });
    if (taken) throw emailTaken();
    const passwordHash = await hashPassword(person.password, from.from ?? '');
    const joining = {
      name: person.name,
      passwordHash,
      oidcSubject: null,
      isVerified: this.#links.isConfirmationRequired,
    };
    return await this.#storage.transaction(async (trx) => {
      const row = await consumeInvitation(trx, { hash: hashOf(token) }, this.#clock.now());
      if (row === null || row.email !== email) throw isExpired();
      return await addMember(trx, this.#clock.now(), row, joining, from);
    });
  }

  async consumeFor(
    trx: Transaction<Tables>,
    token: string,
    email: string,
  ): Promise<Selectable<InvitationRow>> {
    const row = TOKEN.test(token)
      ? await consumeInvitation(trx, { hash: hashOf(token), email }, this.#clock.now())
      : null;
    if (row === null) throw isExpired();
    return row;
  }
}

/** Deletes and returns the open invitation. Of two concurrent acceptances one fails. */
export async function consumeInvitation(
  trx: Transaction<Tables>,
  which: Partial<Pick<InvitationRow, 'hash' | 'email' | 'id'>>,
  now: number,
): Promise<Selectable<InvitationRow> | null> {
  let query = trx.deleteFrom('invitations').where('expires_at', '>', now);
  for (const [column, value] of Object.entries(which))
    query = query.where(column as keyof typeof which, '=', value);
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

export async function addMember(
  trx: Transaction<Tables>,
  now: number,
  row: Selectable<InvitationRow>,
  joining: JoiningMember,
  from: AuditActor,
): Promise<string> {
  if (await isTaken(trx, row.email)) throw emailTaken();
  const id = newId('usr');
  await trx
    .insertInto('users')
    .values({
      id,
      org_id: row.org_id,
      email: row.email,
      name: joining.name,
      password_hash: joining.passwordHash,
      role: row.role,
      oidc_subject: joining.oidcSubject,
      created_at: now,
      email_verified_at: joining.isVerified ? now : null,
    })
    .execute();
  await recordJoin(trx, now, row, id, from);
  return id;
}

export async function recordJoin(
  trx: Transaction<Tables>,
  now: number,
  row: Selectable<InvitationRow>,
  userId: string,
  from: AuditActor,
): Promise<void> {
  const invitation = invitationOf(row);
  await setProjects(trx, userId, invitation.projectIds ?? []);
  await appendAuditRecord(trx, now, {
    orgId: row.org_id,
    by: { ...from, kind: 'user', id: userId },
    action: 'member.joined',
    target: userId,
    before: null,
    after: { ...memberAuditState(invitation), invitation: row.id, invited_by: row.invited_by },
  });
}

export async function isTaken(trx: Transaction<Tables>, email: string): Promise<boolean> {
  const taken = await trx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
  return taken !== undefined;
}

const emailTaken = (): ApiError =>
  new ApiError(
    'email_taken',
    'An account with this e-mail address already exists. Sign in to it, then accept the invitation.',
    { param: 'email' },
  );

/** The refusal reveals nothing new: the inviter can list the members of the organization. */
async function requireNotMember(trx: Transaction<Tables>, orgId: string, email: string): Promise<void> {
  const member = await trx
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  if (member === undefined) return;
  throw new ApiError(
    'email_taken',
    'A member of the organization already has an account with this e-mail address.',
    {
      param: 'email',
    },
  );
}
