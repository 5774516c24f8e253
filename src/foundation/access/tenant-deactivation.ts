import type { Transaction } from 'kysely';
import { type AuditActor, appendAuditRecord } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Storage, Tables } from '../storage/index.ts';
import type { ConsoleSessions } from './console-sessions.ts';
import { CREDENTIALS_TOPIC, type CredentialNotice } from './credential-revocations.ts';
import { noSuchProject } from './roles.ts';

export interface TenantDeactivationOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly sessions: Pick<ConsoleSessions, 'endAllIn' | 'ended'>;
  readonly onChange: (notice: CredentialNotice) => void;
}

export class TenantDeactivation {
  readonly #options: TenantDeactivationOptions;

  constructor(options: TenantDeactivationOptions) {
    this.#options = options;
  }

  /** Keys and usage records still refer to the project, so its row stays. */
  async deactivateProject(orgId: string, id: string, by: AuditActor): Promise<void> {
    const { storage, clock } = this.#options;
    const revoked = await storage.transaction(async (trx) => {
      const living = await trx
        .selectFrom('projects')
        .select(['id', 'name'])
        .where('org_id', '=', orgId)
        .where('deleted_at', 'is', null)
        .execute();
      const found = living.find((row) => row.id === id);
      if (found === undefined) throw noSuchProject();
      if (living.length === 1)
        throw new ApiError(
          'last_project',
          'An organization must have at least one project. Create another project first, or delete the organization.',
        );
      const now = clock.now();
      await trx.updateTable('projects').set({ deleted_at: now }).where('id', '=', id).execute();
      await trx.deleteFrom('project_members').where('project_id', '=', id).execute();
      await appendAuditRecord(trx, now, {
        orgId,
        by,
        action: 'project.deleted',
        target: id,
        before: { name: found.name },
        after: null,
      });
      return await this.#revokeIn(trx, { project_id: id });
    });
    this.#notify(revoked);
  }

  async deactivateOrganization(orgId: string, by: AuditActor): Promise<void> {
    const { storage, clock, sessions } = this.#options;
    const [revoked, ended] = await storage.transaction(async (trx) => {
      const now = clock.now();
      const { name } = await trx
        .selectFrom('organizations')
        .select('name')
        .where('id', '=', orgId)
        .executeTakeFirstOrThrow();
      await appendAuditRecord(trx, now, {
        orgId,
        by,
        action: 'organization.deleted',
        target: orgId,
        before: { name },
        after: null,
      });
      const people = await trx.selectFrom('users').select('id').where('org_id', '=', orgId).execute();
      const sessionIds: string[] = [];
      for (const { id } of people) {
        sessionIds.push(...(await sessions.endAllIn(trx, id)));
        await trx.deleteFrom('project_members').where('user_id', '=', id).execute();
        await trx.deleteFrom('users').where('id', '=', id).execute();
      }
      await trx.deleteFrom('invitations').where('org_id', '=', orgId).execute();
      await trx.updateTable('organizations').set({ kind: 'anonymous' }).where('id', '=', orgId).execute();
      return [await this.#revokeIn(trx, { org_id: orgId }), sessionIds] as const;
    });
    sessions.ended(ended);
    this.#notify(revoked);
  }

  async #revokeIn(
    trx: Transaction<Tables>,
    of: { readonly org_id: string } | { readonly project_id: string },
  ): Promise<string[]> {
    const { storage, clock } = this.#options;
    const [[column, value]] = Object.entries(of) as [['org_id' | 'project_id', string]];
    const now = clock.now();
    const rows = await trx
      .updateTable('api_keys')
      .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)), expires_at: now }))
      .where(column, '=', value)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .returning('id')
      .execute();
    for (const { id } of rows)
      await storage.notify(CREDENTIALS_TOPIC, JSON.stringify({ id, dead: true }), trx);
    return rows.map(({ id }) => id);
  }

  #notify(ids: readonly string[]): void {
    for (const id of ids) this.#options.onChange({ id, dead: true });
  }
}
