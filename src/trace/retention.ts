import type { RetentionDays } from '../access/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Repeating, repeat } from '../platform/repeat.ts';
import { acrossBorders, type Storage } from '../storage/index.ts';

const DAY_MS = 24 * 3600 * 1000;
const SWEEP_EVERY_MS = 3600 * 1000;
const AT_ONCE = 200;

export interface InteractionSweepDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly retention: (orgId: string) => Promise<Pick<RetentionDays, 'transcript'>>;
  readonly onError?: (error: unknown) => void;
}

/** Removes the conversations behind verdicts once transcripts are no longer kept; verdicts with their quotes stay. */
export class InteractionSweep {
  readonly #deps: InteractionSweepDeps;
  #sweeping: Repeating | null = null;

  constructor(deps: InteractionSweepDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { clock, onError } = this.#deps;
    this.#sweeping = repeat(clock, () => this.sweep(), { everyMs: SWEEP_EVERY_MS, onError });
  }

  stop(): void {
    void this.#sweeping?.stop();
  }

  async sweep(): Promise<void> {
    const db = acrossBorders(this.#deps.storage.db);
    const orgs = await db
      .selectFrom('trace_interactions')
      .select('org_id')
      .distinct()
      .where('document', 'is not', null)
      .execute();
    for (const { org_id } of orgs) {
      const { transcript } = await this.#deps.retention(org_id);
      const before = this.#deps.clock.now() - transcript * DAY_MS;
      for (let removed = AT_ONCE; removed === AT_ONCE; ) removed = await this.#remove(org_id, before);
    }
  }

  async #remove(org: string, before: number): Promise<number> {
    const { numUpdatedRows } = await acrossBorders(this.#deps.storage.db)
      .updateTable('trace_interactions')
      .set({ document: null })
      .where('id', 'in', (old) =>
        old
          .selectFrom('trace_interactions')
          .select('id')
          .where('document', 'is not', null)
          .where('org_id', '=', org)
          .where('created_at', '<', before)
          .where('id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
          .limit(AT_ONCE),
      )
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }
}
