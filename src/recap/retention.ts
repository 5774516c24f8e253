import type { RetentionDays } from '../access/index.ts';
import { record, SYSTEM } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Repeating, repeat } from '../platform/repeat.ts';
import { acrossBorders, type Storage } from '../storage/index.ts';

const DAY_MS = 24 * 3600 * 1000;
const SWEEP_EVERY_MS = 3600 * 1000;
const AT_ONCE = 200;

export interface RecapSweepDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly retention: (orgId: string) => Promise<Pick<RetentionDays, 'transcript'>>;
  readonly onError?: (error: unknown) => void;
}

/** Removes records of calls, which hold what was said, once transcripts are no longer kept; scores by the day stay. */
export class RecapSweep {
  readonly #deps: RecapSweepDeps;
  #sweeping: Repeating | null = null;

  constructor(deps: RecapSweepDeps) {
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
    const { storage, clock, retention } = this.#deps;
    const orgs = await acrossBorders(storage.db)
      .selectFrom('recap_calls')
      .select('org_id')
      .distinct()
      .execute();
    for (const { org_id } of orgs) {
      const { transcript } = await retention(org_id);
      const before = clock.now() - transcript * DAY_MS;
      let swept = 0;
      for (let removed = AT_ONCE; removed === AT_ONCE; swept += removed)
        removed = await this.#remove(org_id, before);
      if (swept > 0) await this.#report(org_id, { recaps: swept });
    }
  }

  #report(orgId: string, after: Record<string, number>): Promise<void> {
    const { storage, clock } = this.#deps;
    const deed = { orgId, by: SYSTEM, action: 'retention.swept', target: orgId, before: null, after };
    return storage.transaction((trx) => record(trx, clock.now(), deed));
  }

  async #remove(org: string, before: number): Promise<number> {
    const { numDeletedRows } = await acrossBorders(this.#deps.storage.db)
      .deleteFrom('recap_calls')
      .where('id', 'in', (old) =>
        old
          .selectFrom('recap_calls')
          .select('id')
          .where('org_id', '=', org)
          .where('created_at', '<', before)
          .where('id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
          .limit(AT_ONCE),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  }
}
