import type { JobRow } from '../storage/tables/jobs.ts';
import type { StopReason } from './contract.ts';
import type { Lease } from './lease.ts';

interface InFlightJob {
  readonly lease: Lease;
  readonly since: number;
  readonly finished: Promise<void>;
}

export const claimOf = ({ id, fence }: Pick<JobRow, 'id' | 'fence'>): string => `${id} ${fence}`;

export class InFlightJobs {
  /** The key is the claim, not the job: a reclaimed job may run beside the remains of its last run. */
  readonly #held = new Map<string, InFlightJob>();

  get size(): number {
    return this.#held.size;
  }

  get leases(): Lease[] {
    return [...this.#held.values()].map(({ lease }) => lease);
  }

  has(row: JobRow): boolean {
    return this.#held.has(claimOf(row));
  }

  add(lease: Lease, since: number, finished: Promise<void>): void {
    this.#held.set(claimOf(lease.row), { lease, since, finished });
  }

  remove(lease: Lease): void {
    this.#held.delete(claimOf(lease.row));
  }

  async whenEmpty(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ finished }) => finished));
  }

  stopAll(): void {
    for (const lease of this.leases) lease.stop('draining');
  }

  stopRuns(id: string, reason: StopReason): void {
    for (const lease of this.leases) if (lease.id === id) lease.stop(reason);
  }

  /** Returns the longest running job whose time slice is over, or null while another preemption is pending. */
  nextToPreempt(turnMs: number | undefined, now: number): Lease | null {
    const held = [...this.#held.values()];
    if (turnMs === undefined || held.some(({ lease }) => lease.isPreemptionRequested)) return null;
    const isOver = (lease: Lease, since: number) =>
      now - since >= turnMs || held.filter((other) => other.lease.tenant === lease.tenant).length > 1;
    const over = held.filter(({ lease, since }) => isOver(lease, since));
    return over.sort((a, b) => a.since - b.since)[0]?.lease ?? null;
  }
}
