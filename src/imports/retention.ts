import type { RetentionDays } from '../access/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Repeating, repeat } from '../platform/repeat.ts';
import { acrossBorders, type Storage } from '../storage/index.ts';

const DAY_MS = 24 * 3600 * 1000;
const EVERY_MS = 3600 * 1000;
const FIRST_MS = 5 * 60_000;

export interface ImportSweepOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly retention: (orgId: string) => Promise<Pick<RetentionDays, 'transcript'>>;
  readonly onError?: (error: unknown) => void;
}

/** Forgets who called whom once the words of the call are forgotten. */
export class ImportSweep {
  readonly #options: ImportSweepOptions;
  #sweeping: Repeating | null = null;

  constructor(options: ImportSweepOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, onError } = this.#options;
    this.#sweeping = repeat(clock, () => this.sweep(), { everyMs: EVERY_MS, firstMs: FIRST_MS, onError });
  }

  stop(): void {
    void this.#sweeping?.stop();
  }

  async sweep(): Promise<void> {
    const { storage, clock, retention } = this.#options;
    const rows = await acrossBorders(storage.db)
      .selectFrom('imported_calls')
      .select('org_id')
      .distinct()
      .execute();
    for (const { org_id } of rows) {
      const { transcript } = await retention(org_id);
      await acrossBorders(storage.db)
        .deleteFrom('imported_calls')
        .where('org_id', '=', org_id)
        .where('created_at', '<', clock.now() - transcript * DAY_MS)
        .where('id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
        .execute();
    }
  }
}
