import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import { withinTenant } from '../../foundation/storage/index.ts';
import type { VocabularyTerm } from '../../media/engine/index.ts';

export interface VocabularySettings {
  readonly terms: readonly VocabularyTerm[];
  readonly batch: { readonly active: boolean };
  readonly streaming: { readonly active: boolean };
}

const NONE: VocabularySettings = { terms: [], batch: { active: false }, streaming: { active: false } };

export class VocabularyStore {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async get(scope: TenantScope): Promise<VocabularySettings> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('hear_vocabularies')
      .selectAll()
      .executeTakeFirst();
    if (!row) return NONE;
    return {
      terms: JSON.parse(row.terms) as VocabularyTerm[],
      batch: { active: row.batch_active === 1 },
      streaming: { active: row.streaming_active === 1 },
    };
  }

  async put(scope: TenantScope, settings: VocabularySettings): Promise<void> {
    const values = {
      terms: JSON.stringify(settings.terms),
      batch_active: Number(settings.batch.active),
      streaming_active: Number(settings.streaming.active),
      updated_at: this.#clock.now(),
    };
    await withinTenant(this.#storage.db, scope)
      .insertInto('hear_vocabularies', values)
      .onConflict((conflict) => conflict.columns(['org_id', 'project_id', 'environment']).doUpdateSet(values))
      .execute();
  }

  async activeTerms(scope: TenantScope, use: 'batch' | 'streaming'): Promise<readonly VocabularyTerm[]> {
    const settings = await this.get(scope);
    return settings[use].active ? settings.terms : [];
  }
}
