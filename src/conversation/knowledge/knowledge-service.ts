import type { JobDefinition, JobQueue, JobWorker } from '../../foundation/jobs/index.ts';
import type { BackgroundTasks } from '../../foundation/platform/background-tasks.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import type { RetentionSweep, RetentionSweepOptions } from '../../foundation/privacy/index.ts';
import type { Blobs, Storage } from '../../foundation/storage/index.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import type { Nearest } from '../../language/retrieval/index.ts';
import type { CallKnowledgeQuestion, Embedding, FoundPassage } from './contract.ts';
import { CRAWL_QUEUE, Crawls } from './crawling/crawls.ts';
import { SiteReader } from './fetching/site-reader.ts';
import { IndexingRun } from './indexing.ts';
import { KnowledgeBases } from './knowledge-bases.ts';
import { DOCUMENT_QUEUE, KnowledgeDocuments } from './knowledge-documents.ts';
import { KnowledgeGaps, type NewKnowledgeGap } from './knowledge-gaps.ts';
import { KnowledgeSearch } from './knowledge-search.ts';
import type { PageOcr } from './page-ocr.ts';
import { PhoneticMatcher, type Pronouncers } from './phonetics/phonetic-matcher.ts';
import { VectorCache } from './ranking/vector-cache.ts';
import { wordIndex } from './ranking/word-index.ts';
import { gapSweep } from './retention.ts';
import { VectorRenewal } from './vector-renewal.ts';

export interface KnowledgeServiceDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly gate: UrlGate;
  readonly webhooks: Pick<Webhooks, 'publish'>;
  readonly embedding: Embedding;
  readonly nearest: Nearest;
  readonly pronouncers?: Pronouncers;
  readonly ocr?: PageOcr;
  readonly pauseMs?: number;
  /** Without a retention, callers' questions stay until their base is deleted. */
  readonly retention?: RetentionSweepOptions['retention'];
  readonly background: BackgroundTasks;
  readonly onError?: (error: Error) => void;
}

const LEASE_MS = 60_000;
const JOB_CONCURRENCY = 4;
const PER_TENANT = 2;
const BACKOFF_MS = [5_000, 30_000, 120_000, 600_000] as const;
const backoffMs = (attempt: number): number =>
  (BACKOFF_MS[attempt - 1] ?? 600_000) * (0.75 + Math.random() * 0.5);

const PASSAGES_OF_A_TURN = 4;

export class KnowledgeService {
  readonly bases: KnowledgeBases;
  readonly documents: KnowledgeDocuments;
  readonly gaps: KnowledgeGaps;
  readonly crawls: Crawls;
  readonly search: KnowledgeSearch;
  readonly vectorCache: VectorCache;
  readonly vectorRenewal: VectorRenewal;
  readonly #deps: KnowledgeServiceDeps;
  readonly #run: IndexingRun;
  readonly #sounds: PhoneticMatcher;
  #workers: JobWorker[] = [];
  #sweeping: RetentionSweep | null = null;

  constructor(deps: KnowledgeServiceDeps) {
    const {
      storage,
      blobs,
      clock,
      queue,
      gate,
      webhooks,
      pauseMs,
      pronouncers: spoken = null,
      ocr: scans = null,
      onError = () => {},
    } = deps;
    const words = wordIndex(storage.dialect);
    const pages = new SiteReader({ gate, clock, ...(pauseMs === undefined ? {} : { pauseMs }) });
    const sounds = new PhoneticMatcher(storage, spoken, onError);
    this.#deps = deps;
    this.#sounds = sounds;
    this.vectorCache = new VectorCache(deps.nearest);
    this.bases = new KnowledgeBases(storage, clock);
    this.documents = new KnowledgeDocuments({ storage, blobs, clock, queue, webhooks });
    this.crawls = new Crawls({
      storage,
      blobs,
      clock,
      queue,
      webhooks,
      documents: this.documents,
      site: pages,
    });
    this.gaps = new KnowledgeGaps(storage, clock);
    this.search = new KnowledgeSearch({
      storage,
      clock,
      words,
      vectorCache: this.vectorCache,
      embedding: deps.embedding,
      sounds,
    });
    this.vectorRenewal = new VectorRenewal({
      storage,
      clock,
      embedding: deps.embedding,
      background: deps.background,
    });
    this.#run = new IndexingRun({
      storage,
      blobs,
      clock,
      words,
      embedding: deps.embedding,
      sounds,
      pages,
      scans,
      webhooks,
    });
  }

  /**
   * Returns the passages for a call's turn, best first; null where the call has no base. Deleted bases are
   * skipped.
   */
  async passagesFor(question: CallKnowledgeQuestion, signal: AbortSignal): Promise<FoundPassage[] | null> {
    const { scope, query } = question;
    const bases = await this.bases.among(scope, await this.#idsOf(question));
    if (bases.length === 0) return null;
    if (query.trim() === '') return [];
    const asked = { question: query, most: PASSAGES_OF_A_TURN, onlyAbout: true };
    return await this.search.find(scope, bases, asked, signal);
  }

  async vocabularyOf(from: Omit<CallKnowledgeQuestion, 'query'>, most: number): Promise<string[]> {
    const bases = await this.bases.among(from.scope, await this.#idsOf(from));
    return await this.#sounds.vocabulary(from.scope, bases, most);
  }

  async noteGaps(
    from: Omit<CallKnowledgeQuestion, 'query'>,
    gaps: readonly NewKnowledgeGap[],
  ): Promise<void> {
    await this.gaps.note(from.scope, await this.#idsOf(from), gaps);
  }

  async #idsOf({ scope, bases }: Omit<CallKnowledgeQuestion, 'query'>): Promise<readonly string[]> {
    return bases ?? (await this.bases.defaults(scope));
  }

  start(): void {
    const { storage, clock, queue, background, retention, onError = () => {} } = this.#deps;
    this.#workers = [indexingJob(this.#run), crawlingJob(this.crawls)].map((definition) =>
      queue.startWorker(definition, { onError }),
    );
    this.vectorRenewal.start();
    if (retention === undefined) return;
    this.#sweeping = gapSweep({ storage, clock, retention, background });
    this.#sweeping.start();
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.vectorRenewal.stop();
    await this.#sweeping?.stop();
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop(deadlineMs)));
    this.#deps.pronouncers?.close();
  }
}

const crawlingJob = (crawls: Crawls): JobDefinition => ({
  queue: CRAWL_QUEUE,
  concurrency: JOB_CONCURRENCY,
  perGroup: PER_TENANT,
  leaseMs: LEASE_MS,
  backoffMs: backoffMs,
  run: (job, signal) => crawls.run(job, signal),
  onDead: (transaction, job) => crawls.died(transaction, job),
});

const indexingJob = (run: IndexingRun): JobDefinition => ({
  queue: DOCUMENT_QUEUE,
  concurrency: JOB_CONCURRENCY,
  perGroup: PER_TENANT,
  leaseMs: LEASE_MS,
  backoffMs: backoffMs,
  run: (job, signal) => run.run(job, signal),
  onDead: (transaction, job) => run.died(transaction, job),
});
