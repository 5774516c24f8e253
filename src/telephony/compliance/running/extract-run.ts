import { type Sealer, tenantScopeOfRow } from '../../../foundation/access/index.ts';
import {
  type DeadJob,
  type JobDefinition,
  PermanentError,
  type RunningJob,
  type Trx,
} from '../../../foundation/jobs/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { type Blobs, type Storage, withinTenant } from '../../../foundation/storage/index.ts';
import type { ComplianceExtractionRow } from '../../../foundation/storage/tables/compliance.ts';
import type { CaseService } from '../evidence/case-service.ts';
import { type Dossier, fieldsPlace, loadDossier } from '../evidence/dossier.ts';
import { WORKER } from '../evidence/timeline.ts';
import type { DocumentReader, ReadOutcome, ReadRequest } from '../reading/document-reader.ts';
import { uploadKey } from '../uploads.ts';
import { releaseCost, reserveCost } from './cost-reservation.ts';
import { type CaseJob, EXTRACT_QUEUE } from './jobs.ts';

export interface ExtractDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly caseService: CaseService;
  readonly reader: DocumentReader;
}

const LEASE_MS = 60_000;
const AT_ONCE = 2;
const MARGIN_MS = 250;
const WAITS_MS = [2_000, 10_000, 60_000] as const;

export class ExtractRun {
  readonly #deps: ExtractDeps;

  constructor(deps: ExtractDeps) {
    this.#deps = deps;
  }

  get definition(): JobDefinition {
    return {
      queue: EXTRACT_QUEUE,
      concurrency: AT_ONCE,
      leaseMs: LEASE_MS,
      backoffMs: (attempt) => WAITS_MS[attempt - 1] ?? 60_000,
      run: (job, signal) => this.run(job, signal),
      onDead: (trx, job) => this.#died(trx, job),
    };
  }

  async run(job: RunningJob, signal: AbortSignal): Promise<void> {
    const of = job.payload as CaseJob;
    const begun = await this.#begin(of, job.attempt);
    if (begun === 'gone') return await job.complete(async () => {});
    if (begun === 'full') return await job.postpone(this.#deps.clock.now() + MARGIN_MS, async () => {});
    const outcome = await this.#read(begun, of, signal);
    if (outcome.kind === 'held')
      return await job.postpone(this.#deps.clock.now() + MARGIN_MS, (trx) => this.#wait(trx, of));
    await job.complete((trx) => this.#store(trx, of, outcome));
  }

  async #begin(of: CaseJob, attempt: number): Promise<Dossier | 'gone' | 'full'> {
    const { storage, sealer, clock } = this.#deps;
    const scope = tenantScopeOfRow(of);
    return await storage.transaction(async (trx) => {
      const dossier = await loadDossier(trx, sealer, scope, of.case);
      const mine = dossier?.extractions.find(({ id }) => id === of.part);
      if (dossier === null || mine === undefined) return 'gone';
      if (mine.status !== 'queued' && mine.status !== 'running') return 'gone';
      const running = dossier.extractions.filter(({ id, status }) => status === 'running' && id !== of.part);
      if (running.length >= dossier.snapshot.config.parallelism) return 'full';
      await withinTenant(trx, scope)
        .updateTable('compliance_extractions')
        .set({ status: 'running', attempts: attempt, started_at: mine.started_at ?? clock.now() })
        .where('id', '=', of.part)
        .execute();
      return dossier;
    });
  }

  async #read(dossier: Dossier, of: CaseJob, signal: AbortSignal): Promise<ReadOutcome> {
    try {
      return await this.#deps.reader.read(await this.#asked(dossier, of), signal);
    } catch (error) {
      // An aborted job has lost its lease: another worker may have made the reservation by now.
      if (!signal.aborted) await releaseCost(this.#deps.storage, of);
      throw error;
    }
  }

  async #wait(trx: Trx, of: CaseJob): Promise<void> {
    await withinTenant(trx, tenantScopeOfRow(of))
      .updateTable('compliance_extractions')
      .set({ status: 'queued' })
      .where('id', '=', of.part)
      .where('status', '=', 'running')
      .execute();
  }

  async #asked(dossier: Dossier, of: CaseJob): Promise<ReadRequest> {
    const { config } = dossier.snapshot;
    const extraction = dossier.extractions.find(({ id }) => id === of.part)!;
    const upload = dossier.uploads.find(({ id }) => id === extraction.upload_id)!;
    const document = config.documents.find(({ id }) => id === upload.document_request_id)!;
    const bytes = await this.#bytes(of.case, upload.id);
    const reserve = (cost: number) => reserveCost(this.#deps.storage, of, cost, config.cost.max_micros);
    return { bytes, mimeType: upload.mime_type, document, config, reserve };
  }

  async #bytes(id: string, upload: string): Promise<Buffer> {
    const body = await this.#deps.blobs.get(uploadKey(id, upload));
    if (body === null) throw new PermanentError('The content of the document is no longer available.');
    const parts: Buffer[] = [];
    for await (const part of body.stream) parts.push(part as Buffer);
    return Buffer.concat(parts);
  }

  /** Stores the result, its cost and the new state in one transaction. */
  async #store(trx: Trx, of: CaseJob, outcome: Exclude<ReadOutcome, { kind: 'held' }>): Promise<void> {
    const { sealer } = this.#deps;
    const { cost: cost_micros } = outcome;
    if (outcome.kind === 'failed') {
      return await this.#end(trx, of, { status: 'failed', failure_reason: outcome.reason, cost_micros });
    }
    await this.#end(trx, of, {
      status: 'succeeded',
      failure_reason: null,
      fields: sealer.seal(JSON.stringify(outcome.fields), fieldsPlace(of.part)),
      model_version: outcome.model,
      cost_micros,
    });
  }

  async #died(trx: Trx, job: DeadJob): Promise<void> {
    await this.#end(trx, job.payload as CaseJob, {
      status: 'failed',
      failure_reason: 'extraction_failed',
      cost_micros: 0,
    });
  }

  /** An extraction that another worker has ended stays as it is. */
  async #end(trx: Trx, of: CaseJob, set: Partial<ComplianceExtractionRow>): Promise<void> {
    const scope = tenantScopeOfRow(of);
    const mine = withinTenant(trx, scope);
    const now = this.#deps.clock.now();
    const row = await mine
      .selectFrom('compliance_extractions')
      .selectAll()
      .where('id', '=', of.part)
      .where('status', 'in', ['queued', 'running'])
      .executeTakeFirst();
    if (row === undefined) return;
    const latency_ms = Math.max(1, Math.round(now - (row.started_at ?? now)));
    await mine
      .updateTable('compliance_extractions')
      .set({ ...set, completed_at: now, latency_ms })
      .where('id', '=', of.part)
      .execute();
    const detail = { extraction_id: of.part, upload_id: row.upload_id, status: set.status };
    const reason = set.failure_reason ?? null;
    await this.#deps.caseService.settle(trx, scope, of.case, {
      type: 'document.read',
      by: WORKER,
      reason,
      detail,
    });
  }
}
