import type { Transaction } from 'kysely';
import { type AuditActor, appendAuditRecord } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, NoSuchError } from '../platform/errors.ts';
import type { Storage, Tables } from '../storage/index.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import type { MemberRole, Principal } from './contract.ts';
import { type Invitations, recordJoin } from './invitations.ts';
import { mustExist } from './projects.ts';
import { reachesAllProjects, requireRole } from './roles.ts';
import type { SessionKeys } from './session-keys.ts';

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  /** Null gives the member all projects of the organization. */
  readonly projectIds: readonly string[] | null;
  readonly createdAt: number;
  readonly emailVerified: boolean;
}

export interface MemberChange {
  readonly role?: MemberRole | undefined;
  readonly projectIds?: readonly string[] | undefined;
}

const lastOwner = (): ApiError =>
  new ApiError(
    'last_owner',
    'The organization would be left without an owner. Make another member an owner first, or delete the organization.',
  );

const notFound = (): ApiError => new NoSuchError('member of your organization');

export interface MembersOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly sessions: Pick<ConsoleSessions, 'endAllIn' | 'ended'>;
  readonly sessionKeys: Pick<SessionKeys, 'endOfPersonIn' | 'ended'>;
  readonly invitations: Pick<Invitations, 'consumeFor'>;
}

export class Members {
  readonly #options: MembersOptions;

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  async list(orgId: string): Promise<Member[]> {
    const rows = await this.#options.storage.db
      .selectFrom('users')
      .select(['id', 'email', 'name', 'role', 'created_at', 'email_verified_at'])
      .where('org_id', '=', orgId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const projects = await projectsOf(
      this.#options.storage.db,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => memberOf(row, projects.get(row.id) ?? []));
  }

  async change(caller: Principal, id: string, change: MemberChange, by: AuditActor): Promise<Member> {
    const { sessionKeys } = this.#options;
    const [changed, ended] = await this.#options.storage.transaction(async (trx) => {
      const before = await mustFind(trx, caller.orgId, id);
      const role = change.role ?? before.role;
      if (role !== before.role && (role === 'owner' || before.role === 'owner')) requireRole(caller, 'owner');
      if (before.role === 'owner' && role !== 'owner') await requireRemainingOwner(trx, caller.orgId, id);
      const wanted = change.projectIds ?? before.projectIds ?? [];
      await mustExist(trx, caller.orgId, wanted);
      await trx.updateTable('users').set({ role }).where('id', '=', id).execute();
      await setProjects(trx, id, reachesAllProjects(role) ? [] : wanted);
      const after = await mustFind(trx, caller.orgId, id);
      await appendAuditRecord(trx, this.#options.clock.now(), {
        orgId: caller.orgId,
        by,
        action: 'member.changed',
        target: id,
        before: memberAuditState(before),
        after: memberAuditState(after),
      });
      return [after, await sessionKeys.endOfPersonIn(trx, id)] as const;
    });
    sessionKeys.ended(ended);
    return changed;
  }

  /** Removes the person from the organization and ends their sessions. The keys that they created stay. */
  async remove(caller: Principal, id: string, by: AuditActor): Promise<void> {
    const { storage, sessions, clock } = this.#options;
    const ended = await storage.transaction(async (trx) => {
      const before = await mustFind(trx, caller.orgId, id);
      if (before.role === 'owner') {
        requireRole(caller, 'owner');
        await requireRemainingOwner(trx, caller.orgId, id);
      }
      const sessionIds = await sessions.endAllIn(trx, id);
      await trx.deleteFrom('project_members').where('user_id', '=', id).execute();
      await trx.deleteFrom('users').where('id', '=', id).execute();
      await appendAuditRecord(trx, clock.now(), {
        orgId: caller.orgId,
        by,
        action: 'member.removed',
        target: id,
        before: memberAuditState(before),
        after: null,
      });
      return sessionIds;
    });
    sessions.ended(ended);
  }

  /** Deletes the caller's own account. The keys that they created stay. */
  async leave(caller: Principal, by: AuditActor): Promise<string> {
    const id = caller.userId as string;
    await this.remove(caller, id, by);
    return id;
  }

  /**
   * Moves a signed-in person from their organization to the inviting one and ends their sessions. The only owner of
   * an organization must delete it first.
   */
  async accept(caller: Principal, token: string, by: AuditActor): Promise<void> {
    const { storage, sessions, clock, invitations } = this.#options;
    const userId = caller.userId as string;
    const ended = await storage.transaction(async (trx) => {
      const before = await mustFind(trx, caller.orgId, userId);
      const invitation = await invitations.consumeFor(trx, token, before.email);
      if (before.role === 'owner') await requireRemainingOwner(trx, caller.orgId, userId);
      const sessionIds = await sessions.endAllIn(trx, userId);
      const { org_id, role } = invitation;
      await trx.updateTable('users').set({ org_id, role }).where('id', '=', userId).execute();
      const now = clock.now();
      await appendAuditRecord(trx, now, {
        orgId: caller.orgId,
        by,
        action: 'member.left',
        target: userId,
        before: memberAuditState(before),
        after: null,
      });
      await recordJoin(trx, now, invitation, userId, by);
      return sessionIds;
    });
    sessions.ended(ended);
  }
}

type Row = Pick<Tables['users'], 'id' | 'email' | 'name' | 'role' | 'created_at' | 'email_verified_at'>;

const memberOf = (row: Row, projectIds: readonly string[]): Member => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  projectIds: reachesAllProjects(row.role) ? null : projectIds,
  createdAt: Number(row.created_at),
  emailVerified: row.email_verified_at !== null,
});

export const memberAuditState = ({
  email,
  role,
  projectIds,
}: Pick<Member, 'email' | 'role' | 'projectIds'>) => ({
  email,
  role,
  project_ids: projectIds,
});

async function projectsOf(db: Storage['db'], userIds: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  if (userIds.length === 0) return found;
  const rows = await db.selectFrom('project_members').selectAll().where('user_id', 'in', userIds).execute();
  for (const { user_id, project_id } of rows)
    found.set(user_id, [...(found.get(user_id) ?? []), project_id].sort());
  return found;
}

async function mustFind(trx: Transaction<Tables>, orgId: string, id: string): Promise<Member> {
  const row = await trx
    .selectFrom('users')
    .select(['id', 'email', 'name', 'role', 'created_at', 'email_verified_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw notFound();
  return memberOf(row, (await projectsOf(trx, [id])).get(id) ?? []);
}

async function requireRemainingOwner(trx: Transaction<Tables>, orgId: string, but: string): Promise<void> {
  const other = await trx
    .selectFrom('users')
    .select('id')
    .where('org_id', '=', orgId)
    .where('role', '=', 'owner')
    .where('id', '!=', but)
    .limit(1)
    .executeTakeFirst();
  if (other === undefined) throw lastOwner();
}

export async function setProjects(
  trx: Transaction<Tables>,
  userId: string,
  projectIds: readonly string[],
): Promise<void> {
  await trx.deleteFrom('project_members').where('user_id', '=', userId).execute();
  for (const project_id of new Set(projectIds)) {
    await trx.insertInto('project_members').values({ project_id, user_id: userId }).execute();
  }
}
