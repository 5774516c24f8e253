import { setTimeout as delay } from 'node:timers/promises';
import BetterSqlite from 'better-sqlite3';

const ASKED_AGAIN_MS = 100;

/**
 * Excludes other processes, and other holders in this one. It is SQLite's lock on an empty database: the kernel
 * releases it when its holder ends, however that happens. The file stays, because a second file of its name would be
 * a second lock.
 */
export class ProcessLock {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Blocks the thread for at most `waitMs`. Returns the release, which the holder has to keep, and null where another kept the lock. */
  tryAcquire(waitMs = 0): (() => void) | null {
    const file = new BetterSqlite(this.#path, { timeout: waitMs });
    try {
      // Without it, the lock would leave a journal behind when its holder is killed.
      file.pragma('journal_mode = memory');
      file.exec('begin exclusive');
      return () => file.close();
    } catch (error) {
      file.close();
      if ((error as { code?: string }).code === 'SQLITE_BUSY') return null;
      throw error;
    }
  }

  /** Waits for the lock until the signal aborts; `onWait` runs once where another holder has it. */
  async acquire(signal: AbortSignal, onWait: () => void): Promise<() => void> {
    for (let asked = 0; ; asked += 1) {
      signal.throwIfAborted();
      const release = this.tryAcquire();
      if (release !== null) return release;
      if (asked === 0) onWait();
      await delay(ASKED_AGAIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
