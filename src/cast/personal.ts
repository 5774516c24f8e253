import type { Reach } from '../access/contract.ts';
import type { Holding, Holds, Person, Removed } from '../privacy/contract.ts';
import { type Storage, within } from '../storage/index.ts';
import type { Projects } from './projects.ts';
import type { Renders } from './renders.ts';

/** What casts hold of persons: projects of their words, by the customer's own name for them, with all that was rendered. */
export class CastsOfPersons implements Holding {
  readonly #storage: Storage;
  readonly #projects: Projects;
  readonly #renders: Renders;

  constructor(storage: Storage, projects: Projects, renders: Renders) {
    this.#storage = storage;
    this.#projects = projects;
    this.#renders = renders;
  }

  async personsOf(reach: Reach): Promise<readonly string[]> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('cast_projects')
      .select('external_id')
      .distinct()
      .where('external_id', 'is not', null)
      .execute();
    return rows.map((row) => row.external_id as string);
  }

  async has(reach: Reach, record: string): Promise<boolean> {
    const own = within(this.#storage.db, reach);
    for (const table of ['cast_projects', 'cast_renders'] as const) {
      const row = await own.selectFrom(table).select('id').where('id', '=', record).executeTakeFirst();
      if (row !== undefined) return true;
    }
    return false;
  }

  async erase(reach: Reach, { externalId, until }: Person, holds: Holds): Promise<Removed> {
    const rows = await within(this.#storage.db, reach)
      .selectFrom('cast_projects')
      .select('id')
      .where('external_id', '=', externalId)
      .where('created_at', '<=', until)
      .execute();
    const ids = rows.map(({ id }) => id);
    const held = await holds.among(reach, await this.#withRenders(reach, ids));
    const gone: string[] = [];
    const kept: string[] = [];
    for (const id of ids) {
      const all = await this.#withRenders(reach, [id]);
      if (all.some((one) => held.has(one))) {
        kept.push(...all.filter((one) => held.has(one)));
        continue;
      }
      await this.#projects.remove(reach, id, (trx) => this.#renders.removeAll(trx, reach, id));
      gone.push(...all);
    }
    return {
      counts: { casts: gone.filter((id) => id.startsWith('cast_')).length },
      records: gone,
      held: kept,
    };
  }

  async #withRenders(reach: Reach, ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await within(this.#storage.db, reach)
      .selectFrom('cast_renders')
      .select('id')
      .where('cast_id', 'in', [...ids])
      .execute();
    return [...ids, ...rows.map(({ id }) => id)];
  }
}
