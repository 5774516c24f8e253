import type { RetentionDays } from '../access/index.ts';
import { record, SYSTEM } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Repeating, repeat } from '../platform/repeat.ts';
import type { Storage } from '../storage/index.ts';
import { acrossBorders } from '../storage/index.ts';

const DAY_MS = 24 * 3600 * 1000;
const SWEEP_EVERY_MS = 3600 * 1000;
const AT_ONCE = 200;

export interface TranscriptSweepDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  /** How long an organization's data is kept. */
  readonly retention: (orgId: string) => Promise<Pick<RetentionDays, 'transcript'>>;
  readonly onError?: (error: unknown) => void;
}

/** Removes what was said in calls that ended long enough ago; the rest of their records stays. */
export class TranscriptSweep {
  readonly #deps: TranscriptSweepDeps;
  #sweeping: Repeating | null = null;

  constructor(deps: TranscriptSweepDeps) {
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
    for (let org = await this.#nextOrg(''); org !== null; org = await this.#nextOrg(org)) {
      const { transcript } = await this.#deps.retention(org);
      const endedBefore = this.#deps.clock.now() - transcript * DAY_MS;
      let transcripts = 0;
      for (let removed = AT_ONCE; removed === AT_ONCE; transcripts += removed)
        removed = await this.#remove(org, endedBefore);
      if (transcripts > 0) await this.#report(org, { call_transcripts: transcripts });
    }
  }

  #report(orgId: string, after: Record<string, number>): Promise<void> {
    const { storage, clock } = this.#deps;
    const deed = { orgId, by: SYSTEM, action: 'retention.swept', target: orgId, before: null, after };
    return storage.transaction((trx) => record(trx, clock.now(), deed));
  }

  /** The organizations that have transcripts, one look-up in the index for each. */
  async #nextOrg(after: string): Promise<string | null> {
    const row = await acrossBorders(this.#deps.storage.db)
      .selectFrom('omni_calls')
      .select('org_id')
      .where('transcript_removed_at', 'is', null)
      .where('org_id', '>', after)
      .orderBy('org_id')
      .limit(1)
      .executeTakeFirst();
    return row?.org_id ?? null;
  }

  async #remove(org: string, endedBefore: number): Promise<number> {
    const { storage, clock } = this.#deps;
    const { numUpdatedRows } = await acrossBorders(storage.db)
      .updateTable('omni_calls')
      .set({ transcript: null, transcript_removed_at: clock.now() })
      .where('id', 'in', (old) =>
        old
          .selectFrom('omni_calls')
          .select('id')
          .where('transcript_removed_at', 'is', null)
          .where('org_id', '=', org)
          .where('created_at', '<', endedBefore)
          .where('status', '!=', 'live')
          .where('id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
          .orderBy('created_at')
          .limit(AT_ONCE),
      )
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }
}
