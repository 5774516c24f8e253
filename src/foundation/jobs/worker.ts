import type { Clock } from '../platform/clock.ts';
import { randomBase62 } from '../platform/ids.ts';
import type { Storage } from '../storage/index.ts';
import { claimJobs, nextDue } from './claim.ts';
import { type JobDefinition, LeaseLostError } from './contract.ts';
import { type FairShareRequest, nextTenants } from './fair-share.ts';
import { Heartbeat } from './heartbeat.ts';
import { InFlightJobs } from './in-flight-jobs.ts';
import { recoverExpired, release, removeCancelled, settleFailure } from './job-outcome.ts';
import { Lease } from './lease.ts';
import { cancelTopic, wakeTopic } from './rows.ts';

export interface JobWorkerOptions {
  readonly paused?: boolean;
  /** It reports faults of the worker itself (the database is gone). A job's own error is stored with the job. */
  readonly onError?: (error: Error) => void;
}

/** The worker polls at this interval at the latest, in case it missed a wake-up. */
const POLL_INTERVAL_MS = 5_000;
/** An empty queue only waits for a notice that was lost, and its polls are most of what an idle server computes. */
const EMPTY_POLL_INTERVAL_MS = 30_000;
const RETRY_AFTER_FAULT_MS = 1_000;
const HELD_BACK_MS = 500;

export class JobWorker {
  readonly name = `w_${process.pid}_${randomBase62(8)}`;
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #definition: JobDefinition;
  readonly #onError: (error: Error) => void;
  readonly #inFlight = new InFlightJobs();
  readonly #heartbeat: Heartbeat;
  readonly #turns = new Map<number, string>();
  readonly #unsubscribe: (() => void)[] = [];
  #stopping = false;
  #pumping: Promise<void> | null = null;
  #pumpAgain = false;
  #cancelLook: () => void = () => {};

  constructor(storage: Storage, clock: Clock, definition: JobDefinition, options: JobWorkerOptions) {
    this.#storage = storage;
    this.#clock = clock;
    this.#definition = definition;
    this.#onError = options.onError ?? (() => {});
    this.#stopping = options.paused === true;
    const wake = () => this.#pump();
    this.#unsubscribe.push(
      storage.listen(wakeTopic(definition.queue), { onMessage: wake, onGap: wake }),
      storage.listen(cancelTopic(definition.queue), {
        onMessage: (id) => this.#inFlight.stopRuns(id, 'cancelled'),
      }),
    );
    const { leaseMs } = definition;
    const { name } = this;
    this.#heartbeat = new Heartbeat({
      storage,
      clock,
      name,
      leaseMs,
      inFlight: this.#inFlight,
      onError: this.#onError,
    });
    if (!this.#stopping) this.#pump();
  }

  get running(): number {
    return this.#inFlight.size;
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#stopping = true;
    this.#heartbeat.end();
    this.#cancelLook();
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    await this.#pumping;
    const cancelDeadline = this.#clock.after(deadlineMs, () => this.#inFlight.stopAll());
    if (deadlineMs <= 0) this.#inFlight.stopAll();
    await this.#inFlight.whenEmpty();
    cancelDeadline();
    await this.#heartbeat.stop();
  }

  #pump(): void {
    if (this.#pumping) {
      this.#pumpAgain = true;
      return;
    }
    if (this.#stopping) return;
    this.#pumpAgain = false;
    this.#cancelLook();
    this.#pumping = this.#claimFree()
      .then(
        (wait) => this.#lookIn(wait),
        (error: Error) => {
          this.#onError(error);
          this.#lookIn(RETRY_AFTER_FAULT_MS);
        },
      )
      .finally(() => {
        this.#pumping = null;
        if (this.#pumpAgain) this.#pump();
      });
  }

  #lookIn(ms: number): void {
    if (!this.#stopping) this.#cancelLook = this.#clock.after(ms, () => this.#pump());
  }

  async #claimFree(): Promise<number> {
    const { queue, concurrency, leaseMs } = this.#definition;
    await recoverExpired(this.#storage, this.#definition, {
      now: this.#clock.now(),
      // After a pause of this process (the machine slept, the database was away) the heartbeat is late, but the job
      // is alive.
      isAlive: (row) => this.#inFlight.has(row),
      onError: this.#onError,
    });
    const limit = concurrency - this.#inFlight.size;
    if (limit <= 0) {
      await this.#preempt();
      return POLL_INTERVAL_MS;
    }
    const request = { ...this.#turnRequest(), worker: this.name, limit, leaseMs };
    const rows = await this.#storage.transaction((trx) => claimJobs(trx, this.#storage.dialect, request), {
      isolation: 'read committed',
    });
    for (const row of rows) this.#start(new Lease(row, this.#storage));
    if (rows.length === limit) return POLL_INTERVAL_MS;
    const due = await nextDue(this.#storage.db, queue);
    if (due === null) return EMPTY_POLL_INTERVAL_MS;
    const wait = due - this.#clock.now();
    // The job is due but unclaimed: its tenant is at its bound, or another node is claiming it.
    return wait <= 0 ? HELD_BACK_MS : Math.min(POLL_INTERVAL_MS, wait + 1);
  }

  #turnRequest(): FairShareRequest {
    const {
      queue,
      perTenant = Number.POSITIVE_INFINITY,
      perGroup = Number.POSITIVE_INFINITY,
    } = this.#definition;
    return { queue, now: this.#clock.now(), perTenant, perGroup, lastServed: this.#turns };
  }

  async #preempt(): Promise<void> {
    const lease = this.#inFlight.nextToPreempt(this.#definition.timeSliceMs, this.#clock.now());
    if (!lease) return;
    // The request is limited to tenants without a running job, because such a tenant may have one job at most.
    const request = { ...this.#turnRequest(), perTenant: 1, turns: new Map(this.#turns) };
    const next = await this.#storage.transaction(
      (trx) => nextTenants(trx, this.#storage.dialect, request, { after: null, slots: 1 }),
      { isolation: 'read committed' },
    );
    if (next && next.candidates.length > 0 && next.priority <= lease.row.priority) lease.requestPreemption();
  }

  #start(lease: Lease): void {
    this.#inFlight.stopRuns(lease.id, 'lease_lost');
    const finished = this.#runOne(lease)
      .catch((error: Error) => this.#onError(error))
      .finally(() => {
        this.#inFlight.remove(lease);
        this.#pump();
      });
    this.#inFlight.add(lease, this.#clock.now(), finished);
  }

  async #runOne(lease: Lease): Promise<void> {
    let failure: unknown = null;
    try {
      await this.#definition.run(lease, lease.signal);
      if (!lease.settled) failure = new Error('The job ended without an outcome.');
    } catch (error) {
      failure = error;
    }
    if (lease.settled) return;
    const cancelled = lease.stopReason === 'cancelled' || failure instanceof LeaseLostError;
    if (cancelled) await removeCancelled(this.#storage, lease.row);
    else if (lease.stopReason === 'draining') await release(this.#storage, lease.row);
    else if (lease.stopReason !== 'lease_lost') {
      await settleFailure(this.#storage, this.#definition, lease.row, failure, this.#clock.now());
    }
  }
}
