import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { type CapacityShare, capacityShareOf, type LaneReservation, resumedCall } from './capacity-share.ts';
import type { LaneKind, LaneListener } from './contract.ts';
import type { Engine } from './engine.ts';
import type { Lane } from './lane.ts';

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
  readonly waitMs: number;
  /** Returns the public address of another node that has free calls; refusals name it. */
  readonly betterNode?: () => string | null;
}

/** Further requests of the organization get `capacity` at once. */
const MAX_WAITING_PER_ORGANIZATION = 32;

/** A GPU that was full can take calls again although no lane has ended. */
const RETRY_MS = 100;

interface WaitingLane {
  readonly attempt: () => boolean;
}

type TenantQueues = Map<string, WaitingLane[]>;

const isFull = (error: unknown): boolean => error instanceof ApiError && error.code === 'capacity';

/**
 * Queues callers for a full engine. A free lane goes to a live key before a trial, then to the organization with the
 * fewest lanes, and among equals to the one served longest ago.
 */
export class LaneQueue {
  readonly #options: LaneQueueOptions;
  readonly #held = new Map<string, number>();
  readonly #lines: Readonly<Record<LaneTenant['share'], TenantQueues>> = {
    live: new Map(),
    trial: new Map(),
  };
  #cancelRetry: (() => void) | null = null;

  constructor(options: LaneQueueOptions) {
    this.#options = options;
  }

  /**
   * Reserves a lane for a caller that must not find the server full later. Throws ApiError `capacity` at once where
   * the engine is full or other callers wait.
   */
  reserve(kind: string, tenant: LaneTenant): LaneReservation {
    if (this.#mustQueue(tenant)) throw this.#full();
    const reservation = this.#options.engine.reserve(kind, tenant.share);
    return {
      release: () => {
        reservation.release();
        this.onCapacityFreed();
      },
    };
  }

  /** Opens a lane like Engine.open, but waits while the engine is full. A reservation skips the queue; a resumed call is refused at once. */
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
      // The caller hears nothing meanwhile, and another node may have a lane.
      if (reservation === resumedCall) throw this.#full();
    }
    return await this.#wait(tenant, attempt);
  }

  get waiting(): number {
    const lines = [...this.#lines.live.values(), ...this.#lines.trial.values()];
    return lines.reduce((count, line) => count + line.length, 0);
  }

  /** An open lane has become cheaper, so a waiting caller may fit. */
  onCapacityFreed(): void {
    queueMicrotask(() => this.#serve());
  }

  #mustQueue({ share }: LaneTenant): boolean {
    return this.#lines.live.size > 0 || (share === 'trial' && this.#lines.trial.size > 0);
  }

  #wait<T>({ share, organization }: LaneTenant, open: () => T): Promise<T> {
    const lines = this.#lines[share];
    const line = lines.get(organization) ?? [];
    if (line.length >= MAX_WAITING_PER_ORGANIZATION) throw this.#full();
    lines.set(organization, line);
    return new Promise<T>((resolve, reject) => {
      const cancel = this.#options.clock.after(this.#options.waitMs, () => {
        line.splice(line.indexOf(waiting), 1);
        if (line.length === 0) lines.delete(organization);
        reject(this.#full());
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
      this.#retryLater();
    });
  }

  #retryLater(): void {
    this.#cancelRetry ??= this.#options.clock.after(RETRY_MS, () => {
      this.#cancelRetry = null;
      this.#serve();
      if (this.waiting > 0) this.#retryLater();
    });
  }

  #ended({ organization }: LaneTenant): void {
    const held = (this.#held.get(organization) ?? 1) - 1;
    if (held === 0) this.#held.delete(organization);
    else this.#held.set(organization, held);
    // The engine is still delivering records.
    queueMicrotask(() => this.#serve());
  }

  /** Trials are served only when no live key waits. A first caller that does not fit keeps its place. */
  #serve(): void {
    for (const lines of [this.#lines.live, this.#lines.trial]) {
      while (this.#serveOne(lines));
      if (lines.size > 0) return;
    }
    this.#cancelRetry?.();
    this.#cancelRetry = null;
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

  #full(): ApiError {
    const node = this.#options.betterNode?.() ?? null;
    return new ApiError('capacity', 'All lanes of this server are in use. Try again shortly.', {
      retryAfter: 5,
      node,
    });
  }
}
