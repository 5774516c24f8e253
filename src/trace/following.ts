import type { Environment, Reach } from '../access/contract.ts';
import { reachOfRow } from '../access/index.ts';
import type { JobDefinition, JobQueue, RunningJob, Trx, Worker } from '../jobs/index.ts';
import type { Storage } from '../storage/index.ts';
import { conversationOf, type RawConversation } from './conversation.ts';
import type { Interactions } from './interactions.ts';
import type { Packs } from './packs/store.ts';
import type { SettingsStore } from './settings.ts';
import { callConversation, jobConversation } from './sources.ts';

export const QUEUE = 'trace';
const LEASE_MS = 60_000;
/** Judging takes one thread of this process. */
const AT_ONCE = 2;

/** A call or a recording that has ended, where it belongs. */
export interface Ended {
  readonly kind: 'call' | 'job';
  readonly id: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: Environment;
}

export interface FollowingOptions {
  readonly storage: Storage;
  readonly queue: JobQueue;
  readonly settings: SettingsStore;
  readonly packs: Packs;
  readonly interactions: Interactions;
  readonly onError?: (error: Error) => void;
}

/** Judges every conversation that has ended, where its agent's configuration says so: once, whatever dies meanwhile. */
export class Following {
  readonly #options: FollowingOptions;
  #worker: Worker | null = null;

  constructor(options: FollowingOptions) {
    this.#options = options;
    options.queue.define(this.definition);
  }

  /** In the transaction that writes the record. */
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

  /** The verdict, the do-not-call list, the event and the end of the job are one transaction. */
  async #run(job: RunningJob): Promise<void> {
    const ended = job.payload as Ended;
    const reach = reachOfRow(ended);
    const raw = await this.#source(reach, ended);
    const { settings, packs, interactions } = this.#options;
    const wanted = raw && (await settings.of(reach, raw.agentId ?? null));
    if (raw === null || wanted?.enabled !== true) return await job.complete(async () => {});
    const conversation = conversationOf(raw);
    const applied = await packs.chosen(reach, wanted.rule_packs);
    const judgment = await interactions.judge(reach, conversation, applied);
    await job.complete(async (trx) => {
      await interactions.keep(trx, judgment, wanted.webhook_url);
    });
  }

  async #source(reach: Reach, { kind, id }: Ended): Promise<RawConversation | null> {
    const { db } = this.#options.storage;
    return kind === 'call' ? await callConversation(db, reach, id) : await jobConversation(db, reach, id);
  }
}
