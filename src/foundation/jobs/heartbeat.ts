import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';
import { claimOf, type InFlightJobs } from './in-flight-jobs.ts';

const AFTER_FAULT_MS = 1_000;

export interface HeartbeatOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly name: string;
  readonly leaseMs: number;
  readonly inFlight: InFlightJobs;
  readonly onError: (error: Error) => void;
}

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #ending = false;
  #cancel: () => void = () => {};
  #underWay: Promise<void> = Promise.resolve();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#schedule(options.leaseMs / 3);
  }

  end(): void {
    this.#ending = true;
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#underWay;
  }

  #schedule(wait: number): void {
    const { clock, leaseMs, inFlight, onError } = this.#options;
    this.#cancel = clock.after(wait, () => {
      this.#underWay = this.#beat()
        .then(
          () => leaseMs / 3,
          (error: Error) => {
            onError(error);
            return AFTER_FAULT_MS;
          },
        )
        .then((next) => {
          if (!this.#ending || inFlight.size > 0) this.#schedule(next);
        });
    });
  }

  /** Extends the leases held here, and stops jobs that were cancelled or whose lease is gone. */
  async #beat(): Promise<void> {
    const { storage, clock, name, leaseMs, inFlight } = this.#options;
    const held = inFlight.leases;
    if (held.length === 0) return;
    const rows = await storage.transaction(
      (trx) =>
        trx
          .updateTable('jobs')
          .set({ lease_until: clock.now() + leaseMs })
          .where(
            'id',
            'in',
            held.map(({ id }) => id),
          )
          .where('worker', '=', name)
          .where('state', '=', 'running')
          .returning(['id', 'fence', 'cancel_requested'])
          .execute(),
      { isolation: 'read committed' },
    );
    const alive = new Map(rows.map((row) => [`${row.id} ${row.fence}`, row]));
    for (const lease of held) {
      const row = alive.get(claimOf(lease.row));
      if (row?.cancel_requested === 1) lease.stop('cancelled');
      else if (!row && !lease.settled) lease.stop('lease_lost');
    }
  }
}
