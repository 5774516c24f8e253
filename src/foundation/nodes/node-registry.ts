import type { Clock } from '../platform/clock.ts';
import { type RepeatingTask, repeatEvery } from '../platform/repeat.ts';
import type { Storage } from '../storage/index.ts';

/** A node whose lease is this old counts as lost, and its live calls with it. */
export const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 5_000;
const FORGET_MS = 30 * 24 * 3600 * 1000;

export interface CallOwner {
  endLost(): Promise<unknown>;
  takeBack(): Promise<void>;
}

export interface NodeRegistryOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly onError?: (error: unknown) => void;
  readonly id?: string;
}

/**
 * Renews this node's lease, and ends the calls of nodes whose lease has expired. Another node that declares a node
 * lost raises its fencing token in the row of the lease. A node that was only frozen, or cut off from the database,
 * sees it at its next renewal and takes its calls back.
 */
export class NodeRegistry {
  readonly #options: NodeRegistryOptions;
  readonly #id: string;
  readonly #owners: CallOwner[] = [];
  #startedAt: number | null = null;
  #fence: number | null = null;
  /** It is the start of the unbroken lease by the monotonic clock; null before the first renewal. */
  #heldSince: number | null = null;
  #renewedAt = 0;
  #renewing: RepeatingTask | null = null;

  constructor(options: NodeRegistryOptions) {
    this.#options = options;
    this.#id = options.id ?? options.storage.nodeId;
  }

  add(owner: CallOwner): void {
    this.#owners.push(owner);
  }

  /** The caller starts it before the first call: a call whose node has no lease counts as lost. */
  async start(): Promise<void> {
    const { clock, onError } = this.#options;
    await this.#renew();
    this.#renewing = repeatEvery(clock, () => this.sweep(), { everyMs: RENEW_EVERY_MS, firstMs: 0, onError });
  }

  /** The caller stops it after the last call has ended, because it ends the node's lease. */
  async stop(): Promise<void> {
    if (this.#renewing === null) return;
    await this.#renewing.stop();
    await this.#options.storage.db.deleteFrom('nodes').where('id', '=', this.#id).execute();
  }

  /** The address of another node that lives; null: it is lost, or cannot be reached. */
  async urlOf(id: string): Promise<string | null> {
    const row = await this.#options.storage.db
      .selectFrom('nodes')
      .select('url')
      .where('id', '=', id)
      .where('is_lost', '=', 0)
      .executeTakeFirst();
    return row?.url ?? null;
  }

  async sweep(): Promise<void> {
    await this.#renew();
    if (!this.#mayJudge()) return;
    await this.#fenceLost();
    for (const owner of this.#owners) await owner.endLost();
  }

  async #renew(): Promise<void> {
    const { storage, clock, url = null } = this.#options;
    const now = clock.now();
    const asked = clock.monotonic();
    this.#startedAt ??= now;
    const { fence } = await storage.db
      .insertInto('nodes')
      .values({ id: this.#id, started_at: this.#startedAt, seen_at: now, fence: 1, is_lost: 0, url })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now, is_lost: 0, url }))
      .returning('fence')
      .executeTakeFirstOrThrow();
    if (this.#heldSince === null || asked - this.#renewedAt > LEASE_MS / 2) this.#heldSince = asked;
    this.#renewedAt = asked;
    if (this.#fence !== null && fence !== this.#fence)
      for (const owner of this.#owners) await owner.takeBack();
    this.#fence = fence;
  }

  /**
   * During a database outage no node could renew its lease. A node that has held its own lease for a full lease time
   * has given all others time to renew. SQLite's nodes share one machine, so none can be cut off.
   */
  #mayJudge(): boolean {
    const { storage, clock } = this.#options;
    return storage.dialect === 'sqlite' || clock.monotonic() - (this.#heldSince as number) >= LEASE_MS;
  }

  async #fenceLost(): Promise<void> {
    const { storage, clock } = this.#options;
    const now = clock.now();
    await storage.db
      .updateTable('nodes')
      .set((eb) => ({ is_lost: 1, fence: eb('fence', '+', 1) }))
      .where('is_lost', '=', 0)
      .where('seen_at', '<', now - LEASE_MS)
      .execute();
    await storage.db
      .deleteFrom('nodes')
      .where('is_lost', '=', 1)
      .where('seen_at', '<', now - FORGET_MS)
      .execute();
  }
}
