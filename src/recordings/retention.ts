import type { RetentionDays } from '../access/index.ts';
import { reachOfRow } from '../access/index.ts';
import { record, SYSTEM } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Repeating, repeat } from '../platform/repeat.ts';
import { acrossBorders, type Storage } from '../storage/index.ts';
import type { Recordings } from './recordings.ts';

const DAY_MS = 24 * 3600 * 1000;
const SWEEP_EVERY_MS = 3600 * 1000;
const AT_ONCE = 200;

export interface RecordingSweepDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly recordings: Pick<Recordings, 'remove'>;
  readonly retention: (orgId: string) => Promise<Pick<RetentionDays, 'recording'>>;
  readonly onError?: (error: unknown) => void;
}

/** Removes recordings that were kept long enough; those that a legal hold names stay. */
export class RecordingSweep {
  readonly #deps: RecordingSweepDeps;
  #sweeping: Repeating | null = null;

  constructor(deps: RecordingSweepDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { clock, onError } = this.#deps;
    this.#sweeping = repeat(clock, () => this.sweep(), { everyMs: SWEEP_EVERY_MS, onError });
  }

  async stop(): Promise<void> {
    await this.#sweeping?.stop();
  }

  async sweep(): Promise<void> {
    const { storage, clock, retention } = this.#deps;
    const orgs = await acrossBorders(storage.db)
      .selectFrom('call_recordings')
      .select('org_id')
      .distinct()
      .where('status', '=', 'success')
      .execute();
    for (const { org_id: org } of orgs) {
      const { recording } = await retention(org);
      const removed = await this.#sweepOrg(org, clock.now() - recording * DAY_MS);
      if (removed === 0) continue;
      const after = { call_recordings: removed };
      const deed = { orgId: org, by: SYSTEM, action: 'retention.swept', target: org, before: null, after };
      await storage.transaction((trx) => record(trx, clock.now(), deed));
    }
  }

  async #sweepOrg(org: string, before: number): Promise<number> {
    let removed = 0;
    for (;;) {
      const rows = await acrossBorders(this.#deps.storage.db)
        .selectFrom('call_recordings')
        .select(['id', 'org_id', 'project_id', 'environment'])
        .where('status', '=', 'success')
        .where('org_id', '=', org)
        .where('created_at', '<', before)
        .where('id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
        .orderBy('created_at')
        .limit(AT_ONCE)
        .execute();
      for (const row of rows) {
        await this.#deps.recordings.remove(reachOfRow(row), row.id, 'recording_retention_over');
        removed++;
      }
      if (rows.length < AT_ONCE) return removed;
    }
  }
}
