import { sql } from 'kysely';
import { tenantScopeOfRow } from '../access/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { acrossTenants, type Blobs, type EveryTable, type Storage } from '../storage/index.ts';
import type { RecordCleanup } from './erasures.ts';

export interface TenantDeletionOptions {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly cleanups: readonly RecordCleanup[];
  readonly log: Pick<Log, 'error'>;
  readonly releaseNumbers?: (orgId: string, projectId: string) => Promise<void>;
}

/** The audit chain is never shortened: `doctor` would report it broken. */
export const AUDIT_TABLES = ['audit_heads', 'audit_entries'];
/** Invoices must stay readable, and usage events refer to the keys, which are revoked instead. */
const RETAINED_TABLES = [
  ...AUDIT_TABLES,
  'api_keys',
  'usage_events',
  'usage_holds',
  'usage_days',
  'provider_costs',
];
/** The rows of rented numbers say what must be returned to the carrier, so they stay until that has succeeded. */
const RENTED_TABLES = 'telephony_numbers';
/** Work that began before the project was closed may write for this long. */
const SECOND_PASS_AFTER_MS = 24 * 3_600_000;

export class TenantDeletion {
  readonly #options: TenantDeletionOptions;

  constructor(options: TenantDeletionOptions) {
    this.#options = options;
  }

  /** Throws where a legal hold keeps data, or where telephone numbers are still rented; null checks every project. */
  async requireNoLegalHold(orgId: string, projectId: string | null): Promise<void> {
    const db = acrossTenants(this.#options.storage.db);
    let holds = db.selectFrom('legal_holds').select('record').where('org_id', '=', orgId);
    if (projectId !== null) holds = holds.where('project_id', '=', projectId);
    if ((await holds.executeTakeFirst()) !== undefined)
      throw new ApiError('legal_hold', 'Some of the records are under a legal hold. Release it first.');
    if (projectId === null) return;
    const rented = await db
      .selectFrom('telephony_numbers')
      .select('id')
      .where('org_id', '=', orgId)
      .where('project_id', '=', projectId)
      .where('released_at', 'is', null)
      .executeTakeFirst();
    if (rented !== undefined)
      throw new ApiError('project_in_use', 'The project still has telephone numbers. Release them first.');
  }

  async deleteProject(orgId: string, projectId: string): Promise<void> {
    const { storage, blobs, cleanups: trails } = this.#options;
    const tables = await tablesWith(storage, ['org_id', 'project_id']);
    for (const { area, owner } of await this.#files(orgId, projectId)) await blobs.deleteOwner(area, owner);
    for (const environment of ['live', 'sandbox'] as const) {
      const scope = tenantScopeOfRow({ org_id: orgId, project_id: projectId, environment });
      for (const forget of trails) await forget(scope, []);
    }
    const retained = (await this.#givenBack(orgId, projectId))
      ? RETAINED_TABLES
      : [...RETAINED_TABLES, RENTED_TABLES];
    const own = tables.filter((table) => !retained.includes(table));
    await removeRows(storage, own, { org_id: orgId, project_id: projectId });
  }

  /**
   * Deletes the organization's projects. The sweep of organizations without members deletes the rows that name
   * the organization itself.
   */
  async deleteOrganization(orgId: string): Promise<void> {
    const projects = await this.#options.storage.db
      .selectFrom('projects')
      .select('id')
      .where('org_id', '=', orgId)
      .execute();
    for (const { id } of projects) await this.deleteProject(orgId, id);
  }

  async #givenBack(orgId: string, projectId: string): Promise<boolean> {
    const { releaseNumbers: giveBack, log } = this.#options;
    try {
      await giveBack?.(orgId, projectId);
      return true;
    } catch (err) {
      log.error(
        { err, org: orgId, project: projectId },
        'the numbers of a deleted project could not be released yet',
      );
      return false;
    }
  }

  /**
   * Deletes again for recently closed projects and those that still rent numbers: running work may have written, the
   * server may have stopped midway, and a carrier may have been unreachable.
   */
  async deleteLateRows(): Promise<void> {
    const { storage, clock } = this.#options;
    const closed = await acrossTenants(storage.db)
      .selectFrom('projects as p')
      .select(['p.id', 'p.org_id'])
      .where('p.deleted_at', 'is not', null)
      .where(({ eb, or, exists, selectFrom }) =>
        or([
          eb('p.deleted_at', '>', clock.now() - SECOND_PASS_AFTER_MS),
          exists(selectFrom(`${RENTED_TABLES} as n`).select('n.id').whereRef('n.project_id', '=', 'p.id')),
        ]),
      )
      .execute();
    for (const { id, org_id } of closed) await this.deleteProject(org_id, id);
  }

  async #files(orgId: string, projectId: string) {
    const { storage } = this.#options;
    const db = acrossTenants(storage.db);
    const tables = await tablesWith(storage, ['org_id', 'project_id', 'id']);
    const found: { area: string; owner: string }[] = [];
    for (const table of tables) {
      const rows = await db
        .selectFrom('stored_files')
        .select(['area', 'owner'])
        .distinct()
        .where('org_id', '=', orgId)
        .where('owner', 'in', (eb) =>
          eb
            .selectFrom(table as 'transcription_jobs')
            .select('id')
            .where('org_id', '=', orgId)
            .where('project_id', '=', projectId),
        )
        .execute();
      found.push(...rows);
    }
    return found;
  }
}

export async function tablesWith(
  storage: Storage,
  columns: readonly string[],
): Promise<(keyof EveryTable)[]> {
  const tables = await storage.db.introspection.getTables();
  return tables
    .filter((table) => columns.every((name) => table.columns.some((column) => column.name === name)))
    .map(({ name }) => name as keyof EveryTable);
}

/** Deletes rows without references first; the next round retries what a foreign key refused. */
export async function removeRows(
  storage: Storage,
  tables: readonly (keyof EveryTable)[],
  where: Readonly<Record<string, string>>,
): Promise<void> {
  const db = acrossTenants(storage.db);
  let left = tables.map((table) => ({ table, refused: null as unknown }));
  while (left.length > 0) {
    const next: typeof left = [];
    for (const { table } of left) {
      try {
        let query = db.deleteFrom(table);
        for (const [column, value] of Object.entries(where)) query = query.where(sql.ref(column), '=', value);
        await query.execute();
      } catch (refused) {
        next.push({ table, refused });
      }
    }
    if (next.length === left.length) throw next[0]?.refused;
    left = next;
  }
}
