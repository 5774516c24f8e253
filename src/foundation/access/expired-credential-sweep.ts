import type { BackgroundTasks, RepeatingTask } from '../platform/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';

const EVERY_MS = 6 * 3_600_000;
/** Expired rows are retained this long, so that a late use of one gets a precise error. */
const KEEP_MS = 30 * 86_400_000;

/** Removes expired sessions, browser tokens and network grants. Keys stay, because usage records refer to them. */
export class ExpiredCredentialSweep {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #sweeping: RepeatingTask;

  constructor(storage: Storage, clock: Clock, background: BackgroundTasks) {
    this.#storage = storage;
    this.#clock = clock;
    this.#sweeping = background.repeat('expired credentials', () => this.sweep(), { everyMs: EVERY_MS });
  }

  async sweep(): Promise<void> {
    const over = this.#clock.now() - KEEP_MS;
    const { db } = this.#storage;
    await db.deleteFrom('browser_tokens').where('expires_at', '<', over).execute();
    await db.deleteFrom('network_grants').where('at', '<', over).execute();
    await db
      .deleteFrom('console_sessions')
      .where((eb) => eb.or([eb('expires_at', '<', over), eb('revoked_at', '<', over)]))
      .execute();
  }

  close(): void {
    void this.#sweeping.stop();
  }
}
