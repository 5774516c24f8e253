import type { Reach } from '../access/contract.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { DEFAULT_PAGE, type PageEnd, type PageQuery } from '../platform/pages.ts';
import { type Holding, holdingOf } from '../privacy/index.ts';
import { type Storage, within } from '../storage/index.ts';
import type { KnowledgeGapRow } from '../storage/tables/knowledge.ts';

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
    let select = within(this.#storage.db, reach)
      .selectFrom('knowledge_gaps')
      .selectAll()
      .where('base_id', '=', base);
    if (start !== null) {
      select = select.where(({ eb, or, and }) =>
        or([
          eb('created_at', '<', start.createdAt),
          and([eb('created_at', '=', start.createdAt), eb('id', '<', start.id)]),
        ]),
      );
    }
    return await select
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit((query.limit ?? DEFAULT_PAGE) + 1)
      .execute();
  }
}
