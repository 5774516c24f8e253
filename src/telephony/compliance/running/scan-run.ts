import { type Sealer, tenantScopeOfRow } from '../../../foundation/access/index.ts';
import type { JobDefinition, JobQueue, RunningJob, Trx } from '../../../foundation/jobs/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { type Blobs, type Storage, withinTenant } from '../../../foundation/storage/index.ts';
import type { ComplianceUploadRow } from '../../../foundation/storage/tables/compliance.ts';
import type { CaseState, MalwareStatus } from '../contract.ts';
import type { CaseService } from '../evidence/case-service.ts';
import { type Dossier, loadDossier } from '../evidence/dossier.ts';
import { WORKER } from '../evidence/timeline.ts';
import type { MalwareScanner, ScanVerdict } from '../scanning/clamd.ts';
import { isTerminal } from '../state-machine.ts';
import { uploadKey } from '../uploads.ts';
import { type CaseJob, extractJob, SCAN_QUEUE } from './jobs.ts';

export interface ScanDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly sealer: Sealer;
  readonly caseService: CaseService;
  readonly scanner: MalwareScanner;
}

const LEASE_MS = 60_000;
const AT_ONCE = 2;
const AGAIN_MS = 60_000;

/**
 * Scans one upload for malware and then queues its extraction. Without a scanner the document is still read in the
 * sandbox, and stays `pending`: only a scanner marks it as clean.
 */
export class ScanRun {
  readonly #deps: ScanDeps;

  constructor(deps: ScanDeps) {
    this.#deps = deps;
  }

  get definition(): JobDefinition {
    return {
      queue: SCAN_QUEUE,
      concurrency: AT_ONCE,
      leaseMs: LEASE_MS,
      run: (job, signal) => this.run(job, signal),
      onDead: async (trx, job) => {
        await this.#unread(trx, job.payload as CaseJob, 'malware_scan_failed');
        await this.#record(trx, job.payload as CaseJob, 'unscannable', 'the scan failed');
      },
    };
  }

  async run(job: RunningJob, signal: AbortSignal): Promise<void> {
    const of = job.payload as CaseJob;
    const found = await this.#find(of);
    if (found === null) return await job.complete(async () => {});
    const { upload } = found;
    if (upload.malware_status === 'infected') return await this.#remove(job, of);
    const verdict = await this.#scan(of, signal);
    if (verdict.kind === 'unavailable') return await this.#later(job, of, found, verdict.said);
    if (verdict.kind !== 'infected') {
      const detail = verdict.kind === 'clean' ? null : verdict.said;
      return await job.complete(async (trx) => {
        await this.#read(trx, of, found);
        await this.#record(trx, of, verdict.kind, detail);
      });
    }
    await job.checkpoint(0.5, (trx) => this.#infected(trx, of, verdict));
    await this.#remove(job, of);
  }

  async #find(of: CaseJob): Promise<{ dossier: Dossier; upload: ComplianceUploadRow } | null> {
    const { storage, sealer } = this.#deps;
    const dossier = await loadDossier(storage.db, sealer, tenantScopeOfRow(of), of.case);
    const upload = dossier?.uploads.find(({ id }) => id === of.part);
    if (dossier === null || upload === undefined) return null;
    if (isTerminal(dossier.row.state as CaseState) && upload.malware_status !== 'infected') return null;
    return { dossier, upload };
  }

  async #scan(of: CaseJob, signal: AbortSignal): Promise<ScanVerdict> {
    const body = await this.#deps.blobs.get(uploadKey(of.case, of.part));
    if (body === null) return { kind: 'unscannable', said: 'its content is no longer available' };
    try {
      return await this.#deps.scanner.scan(body.stream as AsyncIterable<Uint8Array>, signal);
    } finally {
      // A scanner that answers early leaves the stream and its file open.
      body.stream.destroy();
    }
  }

  /** Deletes the bytes after the verdict is stored: a retry after a crash continues here. */
  async #remove(job: RunningJob, of: CaseJob): Promise<void> {
    const { blobs, clock } = this.#deps;
    await blobs.delete(uploadKey(of.case, of.part));
    await job.complete(async (trx) => {
      await withinTenant(trx, tenantScopeOfRow(of))
        .updateTable('compliance_uploads')
        .set({ removed_at: clock.now() })
        .where('id', '=', of.part)
        .execute();
    });
  }

  async #later(
    job: RunningJob,
    of: CaseJob,
    found: { dossier: Dossier; upload: ComplianceUploadRow },
    said: string,
  ): Promise<void> {
    await job.postpone(this.#deps.clock.now() + AGAIN_MS, async (trx) => {
      if (found.upload.malware_detail === said) return;
      await this.#read(trx, of, found);
      await this.#record(trx, of, 'pending', said);
    });
  }

  async #read(trx: Trx, of: CaseJob, { dossier, upload }: { dossier: Dossier; upload: ComplianceUploadRow }) {
    const extraction = dossier.extractions.find(({ upload_id }) => upload_id === of.part);
    if (extraction?.status !== 'queued' || upload.malware_detail !== null) return;
    const tries = dossier.snapshot.config.retry.extract;
    await this.#deps.queue.enqueue(trx, extractJob(tenantScopeOfRow(of), of.case, extraction.id, tries));
  }

  async #infected(trx: Trx, of: CaseJob, { name }: { readonly name: string }): Promise<void> {
    await this.#unread(trx, of, 'malware_found');
    await this.#record(trx, of, 'infected', name);
  }

  async #unread(trx: Trx, of: CaseJob, reason: string): Promise<void> {
    await withinTenant(trx, tenantScopeOfRow(of))
      .updateTable('compliance_extractions')
      .set({ status: 'failed', failure_reason: reason, completed_at: this.#deps.clock.now() })
      .where('upload_id', '=', of.part)
      .where('status', 'in', ['queued', 'running'])
      .execute();
  }

  async #record(trx: Trx, of: CaseJob, status: MalwareStatus, detail: string | null): Promise<void> {
    const scope = tenantScopeOfRow(of);
    await withinTenant(trx, scope)
      .updateTable('compliance_uploads')
      .set({ malware_status: status, malware_detail: detail })
      .where('id', '=', of.part)
      .execute();
    const report = { upload_id: of.part, malware_status: status };
    const note = { type: 'document.scanned', by: WORKER, reason: detail, detail: report };
    await this.#deps.caseService.settle(trx, scope, of.case, note);
  }
}
