import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import { newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { KnowledgeGapRow } from '../../foundation/storage/tables/knowledge.ts';

export interface NewKnowledgeGap {
  readonly question: string;
  readonly language: string;
  readonly callId: string;
  readonly externalId: string | null;
}

const LONGEST_QUESTION = 1_000;

/** Stores questions of callers that no passage answered. They are personal data, so erasure removes them. */
export class KnowledgeGaps {
  readonly personalData: PersonalDataStore;
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.personalData = personalDataStoreOf(storage, { table: 'knowledge_gaps', counted: 'knowledge_gaps' });
    this.#storage = storage;
    this.#clock = clock;
  }

  async note(scope: TenantScope, bases: readonly string[], gaps: readonly NewKnowledgeGap[]): Promise<void> {
    const now = this.#clock.now();
    const mine = withinTenant(this.#storage.db, scope);
    for (const base of bases) {
      for (const { question, language, callId, externalId } of gaps) {
        const row = {
          id: newId('gap'),
          base_id: base,
          question: question.slice(0, LONGEST_QUESTION),
          language,
          call_id: callId,
          external_id: externalId,
          created_at: now,
        };
        await mine.insertInto('knowledge_gaps', row).execute();
      }
    }
  }

  async list(
    scope: TenantScope,
    base: string,
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<KnowledgeGapRow[]> {
    const select = withinTenant(this.#storage.db, scope)
      .selectFrom('knowledge_gaps')
      .selectAll()
      .where('base_id', '=', base);
    return await newestFirst(select, query, start).execute();
  }
}
