import type { BackgroundTasks, RepeatingTask } from '../platform/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';
import type { NodeRow } from '../storage/tables/nodes.ts';

/** A node that has not renewed its lease for so long is taken for lost, and its live calls with it. */
export const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 5_000;
/** A node whose figures are older is not recommended to clients. */
const FRESH_MS = 3 * RENEW_EVERY_MS;
/** Rows of lost nodes are removed after this. */
const FORGET_MS = 30 * 24 * 3600 * 1000;

/** A store of live calls, each of which names the node that owns it. */
export interface CallOwner {
  /** Ends the live calls whose node is gone. */
  endLost(): Promise<unknown>;
  /** Writes this node's calls as live again that another node has ended as lost. */
  takeBack(): Promise<void>;
}

export interface NodeLoad {
  /** How many more calls of agents fit. */
  readonly free: number;
  readonly capacity: number;
}

const NO_LOAD: NodeLoad = { free: 0, capacity: 0 };

export interface NodeRegistryOptions {
  readonly storage: Storage;
  /** The clock that all nodes go by. */
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  /** Other nodes reach this one there; absent where they cannot. */
  readonly url?: string | null;
  /** Clients reach this node there; absent where only the load balancer does. */
  readonly publicUrl?: string | null;
  /** Only tests give their own. */
  readonly id?: string;
}

/**
 * Renews this node's lease, and ends the calls of nodes whose lease has expired. Marking a node lost increments the
 * fencing token in the row that the node renews, so that a frozen node notices at its next renewal and reclaims its
 * calls.
 */
export class NodeRegistry {
  readonly #options: NodeRegistryOptions;
  readonly #id: string;
  readonly #owners: CallOwner[] = [];
  #startedAt: number | null = null;
  /** It is null until the first renewal. */
  #fence: number | null = null;
  /** Since when this node has renewed its lease without a gap, by the monotonic clock; null: it has not yet. */
  #heldSince: number | null = null;
  #renewedAt = 0;
  #renewing: RepeatingTask | null = null;
  #load: () => NodeLoad = () => NO_LOAD;
  /** Holds the other live nodes as of the latest sweep, those with the most free calls first. */
  #others: readonly { readonly public_url: string | null; readonly calls_free: number }[] = [];

  constructor(options: NodeRegistryOptions) {
    this.#options = options;
    this.#id = options.id ?? options.storage.nodeId;
  }

  /** Its calls are ended with their node, and taken back. */
  add(owner: CallOwner): void {
    this.#owners.push(owner);
  }

  /** Each renewal publishes what `load` returns. */
  publish(load: () => NodeLoad): void {
    this.#load = load;
  }

  /** The public address of the node with the most free calls; null: none has any, or has an address. */
  betterNode(): string | null {
    return this.#others.find((node) => node.public_url !== null && node.calls_free > 0)?.public_url ?? null;
  }

  /** How many more calls fit on all nodes together: the figure for autoscaling. */
  clusterFree(): number {
    return this.#others.reduce((sum, node) => sum + Number(node.calls_free), this.#load().free);
  }

  /** Call it before the first call begins: a call whose node has no lease counts as lost. */
  async start(): Promise<void> {
    await this.#renew();
    this.#renewing = this.#options.background.repeat('lease of this node', () => this.sweep(), {
      everyMs: RENEW_EVERY_MS,
      firstMs: 0,
    });
  }

  /** Call it after the last call has ended: it ends the node's lease. */
  async stop(): Promise<void> {
    if (this.#renewing === null) return;
    await this.#renewing.stop();
    await this.#options.storage.db.deleteFrom('nodes').where('id', '=', this.#id).execute();
  }

  get id(): string {
    return this.#id;
  }

  /** Nodes that renew their leases come first; lost ones stay for 30 days. */
  async list(): Promise<NodeRow[]> {
    return await this.#options.storage.db
      .selectFrom('nodes')
      .selectAll()
      .orderBy('is_lost')
      .orderBy('started_at')
      .limit(500)
      .execute();
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
    await this.#readOthers();
    if (!this.#mayJudge()) return;
    await this.#fenceLost();
    for (const owner of this.#owners) await owner.endLost();
  }

  async #renew(): Promise<void> {
    const { storage, clock, url = null, publicUrl: public_url = null } = this.#options;
    const { free: calls_free, capacity: calls_capacity } = this.#load();
    const published = { url, public_url, calls_free, calls_capacity };
    const now = clock.now();
    const asked = clock.monotonic();
    this.#startedAt ??= now;
    const { fence } = await storage.db
      .insertInto('nodes')
      .values({ id: this.#id, started_at: this.#startedAt, seen_at: now, fence: 1, is_lost: 0, ...published })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now, is_lost: 0, ...published }))
      .returning('fence')
      .executeTakeFirstOrThrow();
    if (this.#heldSince === null || asked - this.#renewedAt > LEASE_MS / 2) this.#heldSince = asked;
    this.#renewedAt = asked;
    if (this.#fence !== null && fence !== this.#fence)
      for (const owner of this.#owners) await owner.takeBack();
    this.#fence = fence;
  }

  async #readOthers(): Promise<void> {
    const { storage, clock } = this.#options;
    this.#others = await storage.db
      .selectFrom('nodes')
      .select(['public_url', 'calls_free'])
      .where('id', '!=', this.#id)
      .where('is_lost', '=', 0)
      .where('seen_at', '>=', clock.now() - FRESH_MS)
      .orderBy('calls_free', 'desc')
      .execute();
  }

  /**
   * Where the database was away, no node could renew its lease: whoever has held its own for the length of one has seen
   * every other node come back. SQLite's nodes are on one machine, and none of them can be cut off.
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
