import { tenantScopeOfRow } from '../access/index.ts';
import type { BackgroundTasks, RepeatingTask } from '../platform/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { acrossTenants, type Blobs, type Storage } from '../storage/index.ts';
import type { OrganizationRow } from '../storage/tables/access.ts';
import { ERASURES_AREA as ORDERS, type RecordCleanup } from './erasures.ts';
import { AUDIT_TABLES, removeRows, TenantDeletion, tablesWith } from './tenant-deletion.ts';

export interface AnonymousExpiryOptions {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly cleanups: readonly RecordCleanup[];
  readonly releaseNumbers?: (orgId: string, projectId?: string) => Promise<void>;
}

const EVERY_MS = 3_600_000;
const FIRST_MS = 5 * 60_000;
/** Work that began with the last request of a key has ended after this time. */
const GRACE_MS = 3_600_000;
const AT_ONCE = 100;

type ExpiredOrganization = Pick<OrganizationRow, 'id' | 'created_at'>;

/**
 * Deletes the organizations of minted sandbox keys, which have no members, after their last key has expired. A legal
 * hold keeps one.
 */
export class AnonymousExpiry {
  readonly tenantDeletion: TenantDeletion;
  readonly #options: AnonymousExpiryOptions;
  #sweeping: RepeatingTask | null = null;

  constructor(options: AnonymousExpiryOptions) {
    this.#options = options;
    this.tenantDeletion = new TenantDeletion(options);
  }

  start(): void {
    const times = { everyMs: EVERY_MS, firstMs: FIRST_MS };
    this.#sweeping = this.#options.background.repeat(
      'expired organizations',
      async () => void (await this.sweep()),
      times,
    );
  }

  stop(): Promise<void> | undefined {
    return this.#sweeping?.stop();
  }

  /**
   * Returns the number of deleted organizations. An interrupted deletion resumes, because the organization's own row
   * goes last.
   */
  async sweep(): Promise<number> {
    await this.tenantDeletion.deleteLateRows();
    let removed = 0;
    let page: readonly ExpiredOrganization[] = [];
    do {
      page = await this.#expiredAfter(page.at(-1));
      for (const { id } of page) if (await this.#removed(id)) removed += 1;
    } while (page.length === AT_ONCE);
    if (removed === 0) return 0;
    await this.#options.storage.scrub();
    this.#options.log.info({ organizations: removed }, 'expired organizations were removed');
    return removed;
  }

  async #expiredAfter(last: ExpiredOrganization | undefined): Promise<readonly ExpiredOrganization[]> {
    const { storage, clock } = this.#options;
    const before = clock.now() - GRACE_MS;
    let expired = acrossTenants(storage.db)
      .selectFrom('organizations as o')
      .select(['o.id', 'o.created_at'])
      .where('o.kind', '=', 'anonymous')
      .where('o.created_at', '<', before)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('api_keys as k')
              .select('k.id')
              .whereRef('k.org_id', '=', 'o.id')
              .where((key) => key.or([key('k.expires_at', 'is', null), key('k.expires_at', '>', before)])),
          ),
        ),
      )
      .where('o.id', 'not in', (held) => held.selectFrom('legal_holds').select('org_id'));
    if (last !== undefined)
      expired = expired.where(({ eb, and, or }) =>
        or([
          eb('o.created_at', '>', last.created_at),
          and([eb('o.created_at', '=', last.created_at), eb('o.id', '>', last.id)]),
        ]),
      );
    return await expired.orderBy('o.created_at').orderBy('o.id').limit(AT_ONCE).execute();
  }

  /** An organization that cannot be deleted yet, because a carrier keeps its numbers, does not block others. */
  async #removed(orgId: string): Promise<boolean> {
    try {
      await this.#options.releaseNumbers?.(orgId);
      await this.#remove(orgId);
      return true;
    } catch (err) {
      this.#options.log.error({ err, org: orgId }, 'an expired organization could not be removed yet');
      return false;
    }
  }

  async #remove(orgId: string): Promise<void> {
    const { storage, blobs } = this.#options;
    const files = await storage.db
      .selectFrom('stored_files')
      .select(['area', 'owner'])
      .distinct()
      .where('org_id', '=', orgId)
      .execute();
    for (const { area, owner } of files) await blobs.deleteOwner(area, owner);
    const db = acrossTenants(storage.db);
    const orders = await db.selectFrom('erasures').select('id').where('org_id', '=', orgId).execute();
    for (const { id } of orders) await blobs.deleteOwner(ORDERS, id);
    await storage.db
      .deleteFrom('jobs')
      .where((eb) => eb.or([eb('tenant', '=', orgId), eb('tenant', 'like', `${orgId} %`)]))
      .execute();
    await this.#forget(orgId);
    const tables = (await tablesWith(storage, ['org_id'])).filter((table) => !AUDIT_TABLES.includes(table));
    await removeRows(storage, tables, { org_id: orgId });
    await storage.db.deleteFrom('usage_totals').where('subject', '=', orgId).execute();
    await storage.db.deleteFrom('organizations').where('id', '=', orgId).execute();
  }

  async #forget(orgId: string): Promise<void> {
    const db = acrossTenants(this.#options.storage.db);
    const projects = await db.selectFrom('projects').select('id').where('org_id', '=', orgId).execute();
    for (const { id } of projects) {
      for (const environment of ['live', 'sandbox'] as const) {
        const scope = tenantScopeOfRow({ org_id: orgId, project_id: id, environment });
        for (const forget of this.#options.cleanups) await forget(scope, []);
      }
    }
  }
}
