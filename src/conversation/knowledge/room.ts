import type { JobDefinition, JobQueue, Worker } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import type { RetentionDeps, RetentionSweep } from '../../foundation/privacy/index.ts';
import type { Blobs, Storage } from '../../foundation/storage/index.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import type { Nearest } from '../../language/retrieval/index.ts';
import { Bases } from './bases.ts';
import type { CallQuestion, FoundPassage } from './contract.ts';
import { CRAWL_QUEUE, Crawls } from './crawling/crawls.ts';
import { DOCUMENT_QUEUE, Documents } from './documents.ts';
import { SiteReader } from './fetching/site-reader.ts';
import { Gaps, type NewGap } from './gaps.ts';
import { type EmbedChunks, IndexingRun } from './indexing.ts';
import { VectorShelf } from './ranking/vector-shelf.ts';
import { wordIndex } from './ranking/word-index.ts';
import { gapSweep } from './retention.ts';
import type { ScanReader } from './scans.ts';
import { type EmbedQuestion, Search } from './search.ts';
import { SoundAlikes, type SpokenWords } from './sounding/sound-alikes.ts';

export interface KnowledgeRoomDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly gate: UrlGate;
  readonly webhooks: Pick<Webhooks, 'publish'>;
  /** Of passages, in the background. */
  readonly embedChunks: EmbedChunks;
  /** Of a question that somebody waits for. */
  readonly embedQuestion: EmbedQuestion;
  readonly nearest: Nearest;
  /** How words sound; absent: bases are searched by letters alone. */
  readonly spoken?: SpokenWords;
  /** Reads scanned pages; absent: they are not read. */
  readonly scans?: ScanReader;
  /** Between two requests to a host. */
  readonly pauseMs?: number;
  /** Of what callers asked; absent: it stays until its base goes. */
  readonly retention?: RetentionDeps['retention'];
  readonly onError?: (error: Error) => void;
}

const LEASE_MS = 60_000;
const AT_ONCE = 4;
const PER_TENANT = 2;
const WAITS_MS = [5_000, 30_000, 120_000, 600_000] as const;
const waitAfter = (attempt: number): number =>
  (WAITS_MS[attempt - 1] ?? 600_000) * (0.75 + Math.random() * 0.5);

const PASSAGES_OF_A_TURN = 4;

/** Bases of documents that calls answer from: what takes them, indexes them, keeps them fresh, and searches them. */
export class KnowledgeRoom {
  readonly bases: Bases;
  readonly documents: Documents;
  readonly gaps: Gaps;
  readonly crawls: Crawls;
  readonly search: Search;
  readonly shelf: VectorShelf;
  readonly #deps: KnowledgeRoomDeps;
  readonly #run: IndexingRun;
  readonly #sounds: SoundAlikes;
  #workers: Worker[] = [];
  #sweeping: RetentionSweep | null = null;

  constructor(deps: KnowledgeRoomDeps) {
    const {
      storage,
      blobs,
      clock,
      queue,
      gate,
      webhooks,
      pauseMs,
      spoken = null,
      scans = null,
      onError = () => {},
    } = deps;
    const words = wordIndex(storage.dialect);
    const pages = new SiteReader({ gate, clock, ...(pauseMs === undefined ? {} : { pauseMs }) });
    const sounds = new SoundAlikes(storage, spoken, onError);
    this.#deps = deps;
    this.#sounds = sounds;
    this.shelf = new VectorShelf(deps.nearest);
    this.bases = new Bases(storage, clock);
    this.documents = new Documents({ storage, blobs, clock, queue, webhooks });
    this.crawls = new Crawls({
      storage,
      blobs,
      clock,
      queue,
      webhooks,
      documents: this.documents,
      site: pages,
    });
    this.gaps = new Gaps(storage, clock);
    this.search = new Search({ storage, clock, words, shelf: this.shelf, embed: deps.embedQuestion, sounds });
    this.#run = new IndexingRun({
      storage,
      blobs,
      clock,
      words,
      embed: deps.embedChunks,
      sounds,
      pages,
      scans,
      webhooks,
    });
  }

  /** What a call's turn is given, best first; null: it has no base. Bases that are no more are passed over. */
  async passagesFor(question: CallQuestion, signal: AbortSignal): Promise<FoundPassage[] | null> {
    const { reach, query } = question;
    const bases = await this.bases.among(reach, await this.#idsOf(question));
    if (bases.length === 0) return null;
    if (query.trim() === '') return [];
    const asked = { question: query, most: PASSAGES_OF_A_TURN, onlyAbout: true };
    return await this.search.find(reach, bases, asked, signal);
  }

  /** Terms that a call's recognition should know, those that its bases say most first. */
  async vocabularyOf(from: Omit<CallQuestion, 'query'>, most: number): Promise<string[]> {
    const bases = await this.bases.among(from.reach, await this.#idsOf(from));
    return await this.#sounds.vocabulary(from.reach, bases, most);
  }

  async noteGaps(from: Omit<CallQuestion, 'query'>, gaps: readonly NewGap[]): Promise<void> {
    await this.gaps.note(from.reach, await this.#idsOf(from), gaps);
  }

  /** The bases that are bound to a call: its own, or the project's defaults. */
  async #idsOf({ reach, bases }: Omit<CallQuestion, 'query'>): Promise<readonly string[]> {
    return bases ?? (await this.bases.defaults(reach));
  }

  start(): void {
    const { storage, clock, queue, retention, onError = () => {} } = this.#deps;
    this.#workers = [indexing(this.#run), crawling(this.crawls)].map((definition) =>
      queue.work(definition, { onError }),
    );
    if (retention === undefined) return;
    this.#sweeping = gapSweep({ storage, clock, retention, onError });
    this.#sweeping.start();
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#sweeping?.stop();
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop(deadlineMs)));
    this.#deps.spoken?.close();
  }
}

const crawling = (crawls: Crawls): JobDefinition => ({
  queue: CRAWL_QUEUE,
  concurrency: AT_ONCE,
  perGroup: PER_TENANT,
  leaseMs: LEASE_MS,
  backoffMs: waitAfter,
  run: (job, signal) => crawls.run(job, signal),
  died: (transaction, job) => crawls.died(transaction, job),
});

const indexing = (run: IndexingRun): JobDefinition => ({
  queue: DOCUMENT_QUEUE,
  concurrency: AT_ONCE,
  perGroup: PER_TENANT,
  leaseMs: LEASE_MS,
  backoffMs: waitAfter,
  run: (job, signal) => run.run(job, signal),
  died: (transaction, job) => run.died(transaction, job),
});
