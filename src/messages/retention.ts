import type { RetentionDays } from '../access/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Repeating, repeat } from '../platform/repeat.ts';
import { acrossBorders, type Storage } from '../storage/index.ts';

const DAY_MS = 24 * 3600 * 1000;
const EVERY_MS = 3600 * 1000;
const FIRST_MS = 5 * 60_000;

export interface MessageSweepOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly retention: (orgId: string) => Promise<Pick<RetentionDays, 'transcript'>>;
  readonly onError?: (error: unknown) => void;
}

/** Forgets what was written once it is as old as transcripts may be; who wants no messages is kept. */
export class MessageSweep {
  readonly #options: MessageSweepOptions;
  #sweeping: Repeating | null = null;

  constructor(options: MessageSweepOptions) {
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
    const rows = await acrossBorders(storage.db).selectFrom('messages').select('org_id').distinct().execute();
    for (const { org_id } of rows) {
      const { transcript } = await retention(org_id);
      await acrossBorders(storage.db)
        .deleteFrom('messages')
        .where('org_id', '=', org_id)
        .where('created_at', '<', clock.now() - transcript * DAY_MS)
        .where('id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
        .execute();
    }
  }
}
