import type { Transaction } from 'kysely';
import type { Sealer, TenantScope } from '../../../foundation/access/index.ts';
import {
  type AuditActor,
  appendAuditRecord,
  auditScope,
  SYSTEM_ACTOR,
} from '../../../foundation/audit/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { type ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../../foundation/platform/pages.ts';
import { newestFirst, type Storage, type Tables, withinTenant } from '../../../foundation/storage/index.ts';
import type { AgentToolRow } from '../../../foundation/storage/tables/agents.ts';
import type { ToolFields } from './fields.ts';

export interface Tool {
  readonly id: string;
  readonly fields: ToolFields;
  readonly createdAt: number;
  readonly updatedAt: number;
}

type Trx = Transaction<Tables>;

interface Change {
  readonly by: AuditActor;
  readonly action: 'tool.created' | 'tool.changed' | 'tool.deleted';
  readonly before: Tool | null;
  readonly after: Tool | null;
}

/** The audit log records a tool's address and permissions, never the values of its headers. */
const auditedTool = ({ fields }: Tool) => ({
  name: fields.name,
  kind: fields.kind,
  host: fields.url === null ? null : new URL(fields.url).host,
  headers: Object.keys(fields.headers),
  timeout_ms: fields.timeout_ms,
  confirm: fields.confirm,
  allow: fields.allow,
});

const notFound = (): ApiError => new NoSuchError('tool');

/** The database holds the tools' headers encrypted. */
export class ToolStore {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #sealer: Sealer;

  constructor(storage: Storage, clock: Clock, sealer: Sealer) {
    this.#storage = storage;
    this.#clock = clock;
    this.#sealer = sealer;
  }

  async create(
    scope: TenantScope,
    fields: ToolFields,
    alongside?: (trx: Trx, tool: Tool) => Promise<void>,
    by: AuditActor = SYSTEM_ACTOR,
  ): Promise<Tool> {
    const now = this.#clock.now();
    const tool: Tool = { id: newId('tool'), fields, createdAt: now, updatedAt: now };
    await this.#storage.transaction(async (trx) => {
      await withinTenant(trx, scope)
        .insertInto('agent_tools', { id: tool.id, created_at: now, ...this.#columns(tool.id, fields, now) })
        .execute();
      await this.#note(trx, scope, { by, action: 'tool.created', before: null, after: tool });
      await alongside?.(trx, tool);
    });
    return tool;
  }

  async save(
    scope: TenantScope,
    id: string,
    fields: ToolFields,
    by: AuditActor = SYSTEM_ACTOR,
  ): Promise<Tool> {
    return await this.#storage.transaction(async (trx) => {
      const [before] = await this.among(scope, [id], trx);
      const row = await withinTenant(trx, scope)
        .updateTable('agent_tools')
        .set(this.#columns(id, fields, this.#clock.now()))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined || before === undefined) throw notFound();
      const after = this.#read(row);
      await this.#note(trx, scope, { by, action: 'tool.changed', before, after });
      return after;
    });
  }

  async get(scope: TenantScope, id: string): Promise<Tool> {
    const [tool] = await this.among(scope, [id]);
    if (tool === undefined) throw notFound();
    return tool;
  }

  async among(
    scope: TenantScope,
    ids: readonly string[],
    db: Trx | Storage['db'] = this.#storage.db,
  ): Promise<Tool[]> {
    if (ids.length === 0) return [];
    const rows = await withinTenant(db, scope)
      .selectFrom('agent_tools')
      .selectAll()
      .where('id', 'in', ids)
      .execute();
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => {
      const row = found.get(id);
      return row === undefined ? [] : [this.#read(row)];
    });
  }

  async list(scope: TenantScope, query: PageQuery, start: PageEnd | null): Promise<Tool[]> {
    const select = withinTenant(this.#storage.db, scope).selectFrom('agent_tools').selectAll();
    const rows = await newestFirst(select, query, start).execute();
    return rows.map((row) => this.#read(row));
  }

  /** Returns false where no such tool exists. Agents that name a deleted tool work without it. */
  async delete(scope: TenantScope, id: string, by: AuditActor = SYSTEM_ACTOR): Promise<boolean> {
    return await this.#storage.transaction(async (trx) => {
      const [before] = await this.among(scope, [id], trx);
      if (before === undefined) return false;
      await withinTenant(trx, scope).deleteFrom('agent_tools').where('id', '=', id).execute();
      await this.#note(trx, scope, { by, action: 'tool.deleted', before, after: null });
      return true;
    });
  }

  async #note(trx: Trx, scope: TenantScope, { by, action, before, after }: Change): Promise<void> {
    await appendAuditRecord(trx, this.#clock.now(), {
      ...auditScope(scope),
      by,
      action,
      target: (after ?? before)?.id ?? '',
      before: before && auditedTool(before),
      after: after && auditedTool(after),
    });
  }

  #columns(id: string, { headers, ...spec }: ToolFields, now: number) {
    const secret = Object.keys(headers).length === 0 ? null : this.#sealer.seal(JSON.stringify(headers), id);
    return { name: spec.name, spec: JSON.stringify(spec), headers: secret, updated_at: now };
  }

  #read(row: AgentToolRow): Tool {
    const spec = JSON.parse(row.spec) as Omit<ToolFields, 'headers'>;
    const headers = row.headers === null ? {} : JSON.parse(this.#sealer.open(row.headers, row.id));
    return {
      id: row.id,
      fields: { ...spec, headers: headers as Record<string, string> },
      createdAt: Number(row.created_at),
      updatedAt: Number(row.updated_at),
    };
  }
}
