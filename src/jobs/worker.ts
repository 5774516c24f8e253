import type { Clock } from '../platform/clock.ts';
import { randomBase62 } from '../platform/ids.ts';
import type { Storage } from '../storage/index.ts';
import type { JobRow } from '../storage/tables/jobs.ts';
import { claim, nextDue } from './claim.ts';
import { type JobDefinition, LeaseLostError, type StopReason } from './contract.ts';
import { Lease } from './lease.ts';
import { cancelTopic, wakeTopic } from './rows.ts';
import { recoverExpired, release, removeCancelled, settleFailure } from './settle.ts';
import { nextTenants, type TurnRequest } from './turns.ts';

export interface WorkerOptions {
  /** Faults of the worker itself (the database is gone); a job's own fault is kept with the job. */
  readonly onError?: (error: Error) => void;
}

/** The longest time without a look at the queue: covers a wake-up that was lost. */
const LOOK_AGAIN_MS = 5_000;
const AFTER_FAULT_MS = 1_000;
const HELD_BACK_MS = 500;

const claimOf = ({ id, fence }: JobRow): string => `${id} ${fence}`;

/** Works on one queue: claims as many jobs as it has hands, keeps their leases, settles how each try ended. */
export class Worker {
  readonly name = `w_${process.pid}_${randomBase62(8)}`;
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #definition: JobDefinition;
  readonly #onError: (error: Error) => void;
  /** By claim, not by job: a job that was taken away and comes back runs beside what is left of its last run. */
  readonly #running = new Map<string, { lease: Lease; since: number; finished: Promise<void> }>();
  readonly #turns = new Map<number, string>();
  readonly #unsubscribe: (() => void)[] = [];
  #stopping = false;
  #pumping: Promise<void> | null = null;
  #pumpAgain = false;
  #cancelLook: () => void = () => {};
  #cancelHeartbeat: () => void = () => {};
  #heartbeat: Promise<void> = Promise.resolve();

  constructor(storage: Storage, clock: Clock, definition: JobDefinition, options: WorkerOptions) {
    this.#storage = storage;
    this.#clock = clock;
    this.#definition = definition;
    this.#onError = options.onError ?? (() => {});
    const wake = () => this.#pump();
    this.#unsubscribe.push(
      storage.listen(wakeTopic(definition.queue), { onMessage: wake, onGap: wake }),
      storage.listen(cancelTopic(definition.queue), {
        onMessage: (id) => this.#stopRuns(id, 'cancelled'),
      }),
    );
    this.#scheduleHeartbeat();
    this.#pump();
  }

  get running(): number {
    return this.#running.size;
  }

  /** Takes no more jobs; what still runs at the deadline goes back to the queue. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopping = true;
    this.#cancelLook();
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    await this.#pumping;
    const cancelDeadline = this.#clock.after(deadlineMs, () => this.#stopAll());
    if (deadlineMs <= 0) this.#stopAll();
    await Promise.all([...this.#running.values()].map(({ finished }) => finished));
    cancelDeadline();
    this.#cancelHeartbeat();
    await this.#heartbeat;
  }

  #stopAll(): void {
    for (const { lease } of this.#running.values()) lease.stop('draining');
  }

  #stopRuns(id: string, reason: StopReason): void {
    for (const { lease } of this.#running.values()) if (lease.id === id) lease.stop(reason);
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
          this.#lookIn(AFTER_FAULT_MS);
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

  /** Fills the free hands; gives back how long nothing more is to be done. */
  async #claimFree(): Promise<number> {
    const { queue, concurrency, leaseMs } = this.#definition;
    await recoverExpired(this.#storage, this.#definition, {
      now: this.#clock.now(),
      // After a stop of this very process (the machine slept, the database was away) it is the heartbeat that is late.
      isAlive: (row) => this.#running.has(claimOf(row)),
      onError: this.#onError,
    });
    const limit = concurrency - this.#running.size;
    if (limit <= 0) {
      await this.#makeRoom();
      return LOOK_AGAIN_MS;
    }
    const request = { ...this.#turnRequest(), worker: this.name, limit, leaseMs };
    const rows = await this.#storage.transaction((trx) => claim(trx, this.#storage.dialect, request), {
      isolation: 'read committed',
    });
    for (const row of rows) this.#start(new Lease(row, this.#storage));
    if (rows.length === limit) return LOOK_AGAIN_MS;
    const due = await nextDue(this.#storage.db, queue);
    if (due === null) return LOOK_AGAIN_MS;
    const wait = due - this.#clock.now();
    // Due and yet not claimed: its tenant has all it may have, or another node is just taking it.
    return wait <= 0 ? HELD_BACK_MS : Math.min(LOOK_AGAIN_MS, wait + 1);
  }

  #turnRequest(): TurnRequest {
    const {
      queue,
      perTenant = Number.POSITIVE_INFINITY,
      perGroup = Number.POSITIVE_INFINITY,
    } = this.#definition;
    return { queue, now: this.#clock.now(), perTenant, perGroup, turns: this.#turns };
  }

  /** Wants one hand back for a tenant that has none anywhere. */
  async #makeRoom(): Promise<void> {
    const lease = this.#longestTurn();
    if (!lease) return;
    // Of those that may have one job at most: the ones that have none.
    const request = { ...this.#turnRequest(), perTenant: 1, turns: new Map(this.#turns) };
    const next = await this.#storage.transaction(
      (trx) => nextTenants(trx, this.#storage.dialect, request, { after: null, slots: 1 }),
      { isolation: 'read committed' },
    );
    if (next && next.candidates.length > 0 && next.priority <= lease.row.priority) lease.wantBack();
  }

  /** The job that has its hand longest of those whose turn is over; null while one is wanted back already. */
  #longestTurn(): Lease | null {
    const { turnMs } = this.#definition;
    const held = [...this.#running.values()];
    if (turnMs === undefined || held.some(({ lease }) => lease.wantedBack)) return null;
    const now = this.#clock.now();
    const isOver = (lease: Lease, since: number) =>
      now - since >= turnMs || held.filter((other) => other.lease.tenant === lease.tenant).length > 1;
    const over = held.filter(({ lease, since }) => isOver(lease, since));
    return over.sort((a, b) => a.since - b.since)[0]?.lease ?? null;
  }

  #start(lease: Lease): void {
    // Taken away meanwhile and claimed again: nothing of the last run may be stored any more.
    this.#stopRuns(lease.id, 'lease_lost');
    const key = claimOf(lease.row);
    const finished = this.#runOne(lease)
      .catch((error: Error) => this.#onError(error))
      .finally(() => {
        this.#running.delete(key);
        this.#pump();
      });
    this.#running.set(key, { lease, since: this.#clock.now(), finished });
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

  #scheduleHeartbeat(wait = this.#definition.leaseMs / 3): void {
    this.#cancelHeartbeat = this.#clock.after(wait, () => {
      this.#heartbeat = this.#beat()
        .then(
          () => this.#definition.leaseMs / 3,
          (error: Error) => {
            this.#onError(error);
            return AFTER_FAULT_MS;
          },
        )
        .then((next) => {
          if (!this.#stopping || this.#running.size > 0) this.#scheduleHeartbeat(next);
        });
    });
  }

  /** Lengthens the leases held here; a job whose lease is gone, or that was cancelled, is told to stop. */
  async #beat(): Promise<void> {
    const held = [...this.#running.values()].map(({ lease }) => lease);
    if (held.length === 0) return;
    const rows = await this.#storage.transaction(
      (trx) =>
        trx
          .updateTable('jobs')
          .set({ lease_until: this.#clock.now() + this.#definition.leaseMs })
          .where(
            'id',
            'in',
            held.map(({ id }) => id),
          )
          .where('worker', '=', this.name)
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
