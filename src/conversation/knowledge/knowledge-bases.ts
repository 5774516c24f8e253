import type { Kysely } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import { isId, newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, type Storage, type Tables, withinTenant } from '../../foundation/storage/index.ts';
import type { KnowledgeBaseRow } from '../../foundation/storage/tables/knowledge.ts';
import { knowledgeLimitsOf, limitReached } from './limits.ts';

export interface BaseSettings {
  readonly name: string;
  readonly description: string | null;
  readonly language: string;
}

export interface CountedBase extends KnowledgeBaseRow {
  readonly documents: number;
  readonly chunks: number;
}

export class KnowledgeBases {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async create(
    scope: TenantScope,
    settings: BaseSettings,
    keep: (
      transaction: Parameters<Parameters<Storage['transaction']>[0]>[0],
      base: CountedBase,
    ) => Promise<void>,
  ): Promise<CountedBase> {
    const now = this.#clock.now();
    const row = { id: newId('kb'), ...settings, revision: 0, created_at: now, updated_at: now };
    return await this.#storage.transaction(async (transaction) => {
      const mine = withinTenant(transaction, scope);
      const { bases } = await mine
        .selectFrom('knowledge_bases')
        .select((eb) => eb.fn.countAll<number>().as('bases'))
        .executeTakeFirstOrThrow();
      const most = knowledgeLimitsOf(scope.environment).bases;
      if (Number(bases) >= most) throw limitReached('bases', most, scope.environment);
      const made = await mine.insertInto('knowledge_bases', row).returningAll().executeTakeFirstOrThrow();
      const base = { ...made, documents: 0, chunks: 0 };
      await keep(transaction, base);
      return base;
    });
  }

  async get(scope: TenantScope, id: string): Promise<CountedBase> {
    const [base] = await this.#counted(scope, [await this.row(this.#storage.db, scope, id)]);
    return base as CountedBase;
  }

  async row(db: Kysely<Tables>, scope: TenantScope, id: string): Promise<KnowledgeBaseRow> {
    const row = isId('kb', id)
      ? await withinTenant(db, scope)
          .selectFrom('knowledge_bases')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirst()
      : undefined;
    if (row === undefined) throw new NoSuchError('knowledge base');
    return row;
  }

  async among(scope: TenantScope, ids: readonly string[]): Promise<KnowledgeBaseRow[]> {
    if (ids.length === 0) return [];
    return await withinTenant(this.#storage.db, scope)
      .selectFrom('knowledge_bases')
      .selectAll()
      .where('id', 'in', ids)
      .execute();
  }

  async list(scope: TenantScope, query: PageQuery, start: PageEnd | null): Promise<CountedBase[]> {
    const select = withinTenant(this.#storage.db, scope).selectFrom('knowledge_bases').selectAll();
    const rows = await newestFirst(select, query, start).execute();
    return await this.#counted(scope, rows);
  }

  async change(scope: TenantScope, id: string, change: Partial<BaseSettings>): Promise<CountedBase> {
    await this.row(this.#storage.db, scope, id);
    const said = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    await withinTenant(this.#storage.db, scope)
      .updateTable('knowledge_bases')
      .set({ ...said, updated_at: this.#clock.now() })
      .where('id', '=', id)
      .execute();
    return await this.get(scope, id);
  }

  async setDefaults(scope: TenantScope, ids: readonly string[]): Promise<string[]> {
    const unique = [...new Set(ids)];
    const found = new Set((await this.among(scope, unique)).map(({ id }) => id));
    const unknown = unique.find((id) => !found.has(id));
    if (unknown !== undefined) {
      throw new ApiError('not_found', `There is no knowledge base ${unknown}.`, {
        param: 'knowledge_base_ids',
      });
    }
    const values = { default_bases: JSON.stringify(unique), updated_at: this.#clock.now() };
    await withinTenant(this.#storage.db, scope)
      .insertInto('knowledge_settings', values)
      .onConflict((conflict) => conflict.columns(['org_id', 'project_id', 'environment']).doUpdateSet(values))
      .execute();
    return unique;
  }

  async defaults(scope: TenantScope): Promise<string[]> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('knowledge_settings')
      .select('default_bases')
      .executeTakeFirst();
    const ids = row === undefined ? [] : (JSON.parse(row.default_bases) as string[]);
    const there = new Set((await this.among(scope, ids)).map(({ id }) => id));
    return ids.filter((id) => there.has(id));
  }

  async #counted(scope: TenantScope, rows: readonly KnowledgeBaseRow[]): Promise<CountedBase[]> {
    if (rows.length === 0) return [];
    const sums = await withinTenant(this.#storage.db, scope)
      .selectFrom('knowledge_documents')
      .select(['base_id'])
      .select((eb) => [eb.fn.countAll<number>().as('documents'), eb.fn.sum<number>('chunks').as('chunks')])
      .where(
        'base_id',
        'in',
        rows.map(({ id }) => id),
      )
      .groupBy('base_id')
      .execute();
    const of = new Map(sums.map((sum) => [sum.base_id, sum]));
    return rows.map((row) => ({
      ...row,
      documents: Number(of.get(row.id)?.documents ?? 0),
      chunks: Number(of.get(row.id)?.chunks ?? 0),
    }));
  }
}
