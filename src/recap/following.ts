import { reachOfRow } from '../access/index.ts';
import type { JobDefinition, JobQueue, RunningJob, Trx, Worker } from '../jobs/index.ts';
import type { Storage } from '../storage/index.ts';
import { callConversation, conversationOf, type Ended, jobConversation } from '../trace/index.ts';
import type { RecapCalls } from './calls.ts';
import type { RecapSettingsStore } from './settings.ts';

const QUEUE = 'recap';
/** A model may take its time. */
const LEASE_MS = 60_000;
const AT_ONCE = 2;

export interface RecapFollowingOptions {
  readonly storage: Storage;
  readonly queue: JobQueue;
  readonly settings: RecapSettingsStore;
  readonly calls: RecapCalls;
  readonly onError?: (error: Error) => void;
}

/** Makes the record of every conversation that has ended, where the project wants it. */
export class RecapFollowing {
  readonly #options: RecapFollowingOptions;
  #worker: Worker | null = null;

  constructor(options: RecapFollowingOptions) {
    this.#options = options;
    options.queue.define(this.definition);
  }

  /** In the transaction that writes the record of the call. */
  async ended(trx: Trx, { kind, id, org_id, project_id, environment }: Ended): Promise<void> {
    const payload: Ended = { kind, id, org_id, project_id, environment };
    await this.#options.queue.enqueue(trx, { id: `${QUEUE} ${id}`, queue: QUEUE, tenant: org_id, payload });
  }

  start(): void {
    const { queue, onError } = this.#options;
    this.#worker = queue.work(this.definition, onError === undefined ? {} : { onError });
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#worker?.stop(deadlineMs);
  }

  get definition(): JobDefinition {
    return { queue: QUEUE, concurrency: AT_ONCE, leaseMs: LEASE_MS, run: (job) => this.#run(job) };
  }

  async #run(job: RunningJob): Promise<void> {
    const { kind, id, ...place } = job.payload as Ended;
    const reach = reachOfRow(place);
    const { storage, settings, calls } = this.#options;
    const { config, fields } = await settings.of(reach);
    const { db } = storage;
    const raw = config.enabled
      ? await (kind === 'call' ? callConversation(db, reach, id) : jobConversation(db, reach, id))
      : null;
    if (raw === null) return await job.complete(async () => {});
    const conversation = conversationOf(raw);
    const worked = await calls.work(reach, conversation, fields);
    await job.complete((trx) => calls.keep(trx, reach, conversation, worked, config));
  }
}
