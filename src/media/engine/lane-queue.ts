import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { type CapacityShare, capacityShareOf, type LaneReservation } from './capacity-share.ts';
import type { LaneKind, LaneListener } from './contract.ts';
import type { Engine } from './engine.ts';
import type { Lane } from './lane.ts';

/** The tenant of a lane: the capacity share that the lane counts against, and the organization for fair scheduling. */
export interface LaneTenant {
  readonly share: CapacityShare;
  readonly organization: string;
}

export const laneTenantOf = (caller: {
  readonly environment: 'live' | 'sandbox';
  readonly orgId: string;
}): LaneTenant => ({
  share: capacityShareOf(caller.environment),
  organization: caller.orgId,
});

export interface LaneQueueOptions {
  readonly engine: Pick<Engine, 'open' | 'reserve'>;
  readonly clock: Clock;
  /** How long a caller waits for a lane before `capacity` is told. */
  readonly waitMs: number;
}

/** That one organization may have waiting; beyond them it is told `capacity` at once. */
const MAX_WAITING_PER_ORGANIZATION = 32;

interface WaitingLane {
  /** Returns true when the attempt is settled, with a lane or an error; false while there is no capacity. */
  readonly attempt: () => boolean;
}

type TenantQueues = Map<string, WaitingLane[]>;

const isFull = (error: unknown): boolean => error instanceof ApiError && error.code === 'capacity';

/**
 * The line before a full engine: whoever comes while others wait goes behind them. A lane that ends goes to a live key
 * before a trial, to the organization that holds the fewest, and among equals to the one whose turn is longest ago.
 */
export class LaneQueue {
  readonly #options: LaneQueueOptions;
  readonly #held = new Map<string, number>();
  /** Each in the order of turns: the organization that was served goes to the end. */
  readonly #lines: Readonly<Record<LaneTenant['share'], TenantQueues>> = {
    live: new Map(),
    trial: new Map(),
  };

  constructor(options: LaneQueueOptions) {
    this.#options = options;
  }

  /**
   * Reserves a lane for a caller that must not find the server full later. Throws ApiError `capacity` at
   * once where there is no room, or others wait for it.
   */
  reserve(kind: string, tenant: LaneTenant): LaneReservation {
    if (this.#mustQueue(tenant)) throw full();
    const reservation = this.#options.engine.reserve(kind, tenant.share);
    return {
      release: () => {
        reservation.release();
        this.onCapacityFreed();
      },
    };
  }

  /** As Engine.open, but waits a moment where the engine is full. A reservation goes ahead of those who wait. */
  async open<Options, Event>(
    kind: LaneKind<Options, Event>,
    options: Options,
    listener: LaneListener<Event>,
    tenant: LaneTenant,
    reservation?: LaneReservation,
  ): Promise<Lane<Event>> {
    const counted: LaneListener<Event> = {
      ...listener,
      closed: (status) => {
        this.#ended(tenant);
        listener.closed(status);
      },
    };
    const attempt = () => {
      const lane = this.#options.engine.open(kind, options, counted, tenant.share, reservation);
      this.#held.set(tenant.organization, (this.#held.get(tenant.organization) ?? 0) + 1);
      return lane;
    };
    try {
      if (reservation !== undefined || !this.#mustQueue(tenant)) return attempt();
    } catch (error) {
      if (!isFull(error)) throw error;
    }
    return await this.#wait(tenant, attempt);
  }

  /** How many wait now. */
  get waiting(): number {
    const lines = [...this.#lines.live.values(), ...this.#lines.trial.values()];
    return lines.reduce((count, line) => count + line.length, 0);
  }

  /** A lane that lives needs less than before: who waits may have what it gave up. */
  onCapacityFreed(): void {
    queueMicrotask(() => this.#serve());
  }

  #mustQueue({ share }: LaneTenant): boolean {
    return this.#lines.live.size > 0 || (share === 'trial' && this.#lines.trial.size > 0);
  }

  #wait<T>({ share, organization }: LaneTenant, open: () => T): Promise<T> {
    const lines = this.#lines[share];
    const line = lines.get(organization) ?? [];
    if (line.length >= MAX_WAITING_PER_ORGANIZATION) throw full();
    lines.set(organization, line);
    return new Promise<T>((resolve, reject) => {
      const cancel = this.#options.clock.after(this.#options.waitMs, () => {
        line.splice(line.indexOf(waiting), 1);
        if (line.length === 0) lines.delete(organization);
        reject(full());
        this.#serve();
      });
      const waiting: WaitingLane = {
        attempt: () => {
          try {
            resolve(open());
          } catch (error) {
            if (isFull(error)) return false;
            reject(error);
          }
          cancel();
          return true;
        },
      };
      line.push(waiting);
    });
  }

  #ended({ organization }: LaneTenant): void {
    const held = (this.#held.get(organization) ?? 1) - 1;
    if (held === 0) this.#held.delete(organization);
    else this.#held.set(organization, held);
    // The engine is in the middle of its records.
    queueMicrotask(() => this.#serve());
  }

  /** Trials come when no live key waits; who is first and finds no room keeps its place. */
  #serve(): void {
    for (const lines of [this.#lines.live, this.#lines.trial]) {
      while (this.#serveOne(lines));
      if (lines.size > 0) return;
    }
  }

  #serveOne(lines: TenantQueues): boolean {
    const organization = this.#next(lines);
    if (organization === null) return false;
    const line = lines.get(organization) as WaitingLane[];
    if (!(line[0] as WaitingLane).attempt()) return false;
    line.shift();
    lines.delete(organization);
    if (line.length > 0) lines.set(organization, line);
    return true;
  }

  #next(lines: TenantQueues): string | null {
    let next: string | null = null;
    let fewest = Number.POSITIVE_INFINITY;
    for (const organization of lines.keys()) {
      const held = this.#held.get(organization) ?? 0;
      if (held >= fewest) continue;
      next = organization;
      fewest = held;
    }
    return next;
  }
}

const full = (): ApiError =>
  new ApiError('capacity', 'All lanes of this server are in use. Try again shortly.', { retryAfter: 5 });
