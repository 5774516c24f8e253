import { ApiError } from '../../foundation/platform/errors.ts';
import type { Lane } from './lane.ts';
import type { NativeEngine } from './native.ts';

/** Work is either a paying customer's or a sandbox key's. */
export type CapacityShare = 'live' | 'trial';

export const capacityShareOf = (environment: 'live' | 'sandbox'): CapacityShare =>
  environment === 'live' ? 'live' : 'trial';

/** The reservation of one lane, held until the lane is opened with it or it is released. */
export interface LaneReservation {
  /** Later calls do nothing. */
  release(): void;
}

/**
 * The claim of a call that began on another node. It skips the queue and may exceed the capacity by a half, so that the
 * calls of a lost node go on at nodes that are full.
 */
export const resumedCall: LaneReservation = { release: () => undefined };

/** Lanes of one kind. */
export interface LaneCapacity {
  readonly free: number;
  readonly total: number;
}

/** The reservations of lanes that are not opened yet. */
export class ReservedCapacity {
  readonly #costs = new Map<LaneReservation, number>();

  reserve(cost: number): LaneReservation {
    const reservation: LaneReservation = { release: () => void this.#costs.delete(reservation) };
    this.#costs.set(reservation, cost);
    return reservation;
  }

  /** Whether a lane of this cost fits beside the lanes that are open and those that are reserved. */
  fits(native: NativeEngine, cost: number): boolean {
    const { capacity, used, slots, lanes } = native.stats();
    const reserved = [...this.#costs.values()].reduce((sum, one) => sum + one, 0);
    return used + reserved + cost <= capacity && lanes + this.#costs.size < slots;
  }

  /** Counts the lanes of this cost that still fit, and those that fit into an empty engine. */
  laneCapacity(native: NativeEngine, cost: number): LaneCapacity {
    const { capacity, used, slots, lanes } = native.stats();
    const reserved = [...this.#costs.values()].reduce((sum, one) => sum + one, 0);
    const fitting = (millicores: number, places: number) =>
      Math.max(0, Math.min(places, cost === 0 ? places : Math.floor(millicores / cost)));
    return {
      free: fitting(capacity - used - reserved, slots - lanes - this.#costs.size),
      total: fitting(capacity, slots),
    };
  }

  get isEmpty(): boolean {
    return this.#costs.size === 0;
  }
}

/** Trials share what is not kept for live tenants; one of them always may. Throws `capacity`. */
export function checkTrialCapacity(
  native: NativeEngine,
  lanes: readonly (Lane | undefined)[],
  kind: string,
  reserved: number,
): void {
  const trials = lanes.filter((lane) => lane?.tenant === 'trial') as Lane[];
  if (reserved === 0 || trials.length === 0) return;
  const costs = new Map(native.kinds().map(({ name, cost }) => [name, cost]));
  const taken = trials.reduce((sum, lane) => sum + (costs.get(lane.kind) ?? 0), costs.get(kind) ?? 0);
  const { capacity, slots } = native.stats();
  const share = 1 - reserved;
  if (taken <= capacity * share && trials.length < Math.floor(slots * share)) return;
  throw new ApiError(
    'capacity',
    'All lanes for sandbox keys are in use. Try again shortly, or use a live key.',
    {
      retryAfter: 5,
    },
  );
}
