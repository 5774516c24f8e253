import { type Kysely, sql } from 'kysely';
import type { BackgroundTasks } from '../platform/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { Principal } from './contract.ts';
import { subjectOf } from './key-principal.ts';

export const CREDENTIALS_TOPIC = 'access.credentials';

export interface CredentialNotice {
  readonly id: string;
  readonly dead: boolean;
}

/** A revocation stays in memory this long for a session that opens while its key is revoked. */
const REMEMBER_REVOCATION_MS = 60_000;
/** Live sessions are checked against the database at this interval in case a notice was lost. */
const RECHECK_MS = 15_000;
/**
 * Another process on the same SQLite file (the command line) sends no notices. The check for its writes costs 10 µs.
 */
const FILE_POLL_MS = 200;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface RevocationWatcher {
  readonly id: string;
  readonly onRevoked: () => void;
  cancelExpiry: () => void;
}

export interface CredentialRevocationsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly onChange: (id: string | null) => void;
  readonly onError: (error: unknown) => void;
}

export class CredentialRevocations {
  readonly #options: CredentialRevocationsOptions;
  readonly #watchers = new Map<string, Set<RevocationWatcher>>();
  readonly #recent = new Map<string, number>();
  readonly #cancel: (() => void)[] = [];
  #fileVersion: number | null = null;

  constructor(options: CredentialRevocationsOptions) {
    this.#options = options;
    const unlisten = options.storage.listen(CREDENTIALS_TOPIC, {
      onMessage: (payload) => this.#onNotice(JSON.parse(payload) as CredentialNotice),
      onGap: () => this.#onGap(),
    });
    this.#cancel.push(unlisten);
  }

  /**
   * Call it before the first credential is read: from then on it sees every revocation that another process
   * writes.
   */
  async start(): Promise<void> {
    this.#every('revocations', RECHECK_MS, () => this.recheck());
    if (this.#options.storage.dialect !== 'sqlite') return;
    await this.#pollFile();
    this.#every('changes of the database file', FILE_POLL_MS, () => this.#pollFile());
  }

  /** Applies a change of this node before its caller gets the answer, not only when the notice comes back. */
  onLocalNotice(notice: CredentialNotice): void {
    this.#onNotice(notice);
  }

  watch(principal: Principal, onDead: () => void): () => void {
    const watcher: RevocationWatcher = {
      id: subjectOf(principal),
      onRevoked: onDead,
      cancelExpiry: () => {},
    };
    const set = this.#watchers.get(watcher.id) ?? new Set();
    set.add(watcher);
    this.#watchers.set(watcher.id, set);
    if (this.#recent.has(watcher.id)) queueMicrotask(() => this.#notifyWatcher(watcher));
    else this.#expireLater(watcher, principal.expiresAt);
    return () => this.#remove(watcher);
  }

  async recheck(): Promise<void> {
    const ids = [...this.#watchers.keys()];
    for (let from = 0; from < ids.length; from += 500) {
      const some = ids.slice(from, from + 500);
      for (const id of await revokedAmong(this.#options.storage.db, some, this.#options.clock.now())) {
        this.#onNotice({ id, dead: true });
      }
    }
  }

  watcherCount(): number {
    return this.#watchers.size;
  }

  close(): void {
    for (const cancel of this.#cancel.splice(0)) cancel();
    for (const set of this.#watchers.values()) for (const watcher of set) watcher.cancelExpiry();
    this.#watchers.clear();
  }

  #onNotice(notice: CredentialNotice): void {
    this.#options.onChange(notice.id);
    if (!notice.dead) return;
    const now = this.#options.clock.monotonic();
    for (const [id, at] of this.#recent) {
      if (now - at <= REMEMBER_REVOCATION_MS) break;
      this.#recent.delete(id);
    }
    this.#recent.delete(notice.id);
    this.#recent.set(notice.id, now);
    for (const watcher of [...(this.#watchers.get(notice.id) ?? [])]) this.#notifyWatcher(watcher);
  }

  #onGap(): void {
    this.#options.onChange(null);
    this.recheck().catch(this.#options.onError);
  }

  #notifyWatcher(watcher: RevocationWatcher): void {
    if (this.#remove(watcher)) watcher.onRevoked();
  }

  #remove(watcher: RevocationWatcher): boolean {
    watcher.cancelExpiry();
    const set = this.#watchers.get(watcher.id);
    const had = set?.delete(watcher) ?? false;
    if (set?.size === 0) this.#watchers.delete(watcher.id);
    return had;
  }

  #expireLater(watcher: RevocationWatcher, expiresAt: number | null): void {
    if (expiresAt === null) return;
    const wait = Math.max(0, expiresAt - this.#options.clock.now());
    watcher.cancelExpiry = this.#options.clock.after(Math.min(wait, LONGEST_TIMER_MS), () => {
      if (wait > LONGEST_TIMER_MS) this.#expireLater(watcher, expiresAt);
      else this.#notifyWatcher(watcher);
    });
  }

  async #pollFile(): Promise<void> {
    const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(
      this.#options.storage.db,
    );
    const version = rows[0]?.data_version ?? 0;
    const changed = this.#fileVersion !== null && this.#fileVersion !== version;
    this.#fileVersion = version;
    if (changed) this.#onGap();
  }

  #every(name: string, everyMs: number, task: () => Promise<void>): void {
    const turns = this.#options.background.repeat(name, task, { everyMs });
    this.#cancel.push(() => void turns.stop());
  }
}

async function revokedAmong(db: Kysely<Tables>, ids: readonly string[], now: number): Promise<string[]> {
  const keys = await db
    .selectFrom('api_keys')
    .select('id')
    .where('id', 'in', ids)
    .where((eb) => eb.or([eb('revoked_at', 'is not', null), eb('expires_at', '<=', now)]))
    .execute();
  const sessions = await db
    .selectFrom('console_sessions')
    .select('id')
    .where('id', 'in', ids)
    .where((eb) => eb.or([eb('revoked_at', 'is not', null), eb('expires_at', '<=', now)]))
    .execute();
  return [...keys, ...sessions].map((row) => row.id);
}
