import type { Reach } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { type Holding, holdingOf } from '../../foundation/privacy/index.ts';
import { newestFirst, type Storage, within } from '../../foundation/storage/index.ts';
import type { KnowledgeGapRow } from '../../foundation/storage/tables/knowledge.ts';

export interface NewGap {
  readonly question: string;
  readonly language: string;
  readonly callId: string;
  readonly externalId: string | null;
}

const LONGEST_QUESTION = 1_000;

/** What callers asked that no passage was about. It is what persons said: their erasure takes it. */
export class Gaps {
  readonly holding: Holding;
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.holding = holdingOf(storage, { table: 'knowledge_gaps', counted: 'knowledge_gaps' });
    this.#storage = storage;
    this.#clock = clock;
  }

  async note(reach: Reach, bases: readonly string[], gaps: readonly NewGap[]): Promise<void> {
    const now = this.#clock.now();
    const mine = within(this.#storage.db, reach);
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
    reach: Reach,
    base: string,
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<KnowledgeGapRow[]> {
    const select = within(this.#storage.db, reach)
      .selectFrom('knowledge_gaps')
      .selectAll()
      .where('base_id', '=', base);
    return await newestFirst(select, query, start).execute();
  }
}
