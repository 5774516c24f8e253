import type { Transaction } from 'kysely';
import { type AuditActor, appendAuditRecord } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Storage, Tables } from '../storage/index.ts';
import type { Principal } from './contract.ts';
import { noSuchProject } from './roles.ts';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

export class Projects {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async list({ orgId, person }: Principal): Promise<Project[]> {
    const rows = await this.#storage.db
      .selectFrom('projects')
      .select(['id', 'name', 'created_at'])
      .where('org_id', '=', orgId)
      .where('deleted_at', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const reached = person?.projects ?? null;
    return rows
      .filter((row) => reached === null || reached.includes(row.id))
      .map((row) => ({ id: row.id, name: row.name, createdAt: Number(row.created_at) }));
  }

  async create(orgId: string, name: string, by: AuditActor): Promise<Project> {
    const project = { id: newId('proj'), name, createdAt: this.#clock.now() };
    await this.#storage.transaction(async (trx) => {
      await trx
        .insertInto('projects')
        .values({ id: project.id, org_id: orgId, name, created_at: project.createdAt })
        .execute();
      await appendAuditRecord(trx, project.createdAt, {
        orgId,
        place: { projectId: project.id, environment: null },
        by,
        action: 'project.created',
        target: project.id,
        before: null,
        after: { name },
      });
    });
    return project;
  }

  async rename(orgId: string, id: string, name: string, by: AuditActor): Promise<Project> {
    return await this.#storage.transaction(async (trx) => {
      await mustExist(trx, orgId, [id]);
      const row = await trx
        .selectFrom('projects')
        .select(['id', 'name', 'created_at'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      await trx.updateTable('projects').set({ name }).where('id', '=', id).execute();
      await appendAuditRecord(trx, this.#clock.now(), {
        orgId,
        place: { projectId: id, environment: null },
        by,
        action: 'project.changed',
        target: id,
        before: { name: row.name },
        after: { name },
      });
      return { id, name, createdAt: Number(row.created_at) };
    });
  }

  /** Throws not_found where the person does not reach the project. Without `wanted` it is their first. */
  async chosen({ orgId, projectId, person }: Principal, wanted: string | undefined): Promise<string> {
    const id = wanted ?? projectId;
    const reached = person?.projects ?? null;
    if (reached !== null && !reached.includes(id)) throw noSuchProject();
    await mustExist(this.#storage.db, orgId, [id]);
    return id;
  }
}

export async function mustExist(
  db: Storage['db'] | Transaction<Tables>,
  orgId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .where('id', 'in', ids)
    .execute();
  if (rows.length < new Set(ids).size) throw noSuchProject();
}
