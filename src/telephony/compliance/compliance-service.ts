import type { Sealer } from '../../foundation/access/index.ts';
import type { JobQueue, JobWorker } from '../../foundation/jobs/index.ts';
import type { BackgroundTasks, RepeatingTask } from '../../foundation/platform/background-tasks.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { Blobs, Storage } from '../../foundation/storage/index.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import { Attestations } from './attestations.ts';
import type { NumberingNetwork } from './carrier-submission/contract.ts';
import { Submissions } from './carrier-submission/submissions.ts';
import { Cases, type CasesDeps } from './cases.ts';
import { Corrections } from './corrections.ts';
import { CaseService } from './evidence/case-service.ts';
import type { PictureReader } from './ocr/reader.ts';
import { DocumentReader } from './reading/document-reader.ts';
import { Registry } from './registry/registry.ts';
import { DocumentSweep } from './retention.ts';
import { type Approved, CarrierSubmissionRun } from './running/carrier-submission-run.ts';
import { CaseDeadlineRun } from './running/case-deadline-run.ts';
import { DocumentExpiryRun } from './running/document-expiry-run.ts';
import { ExtractRun } from './running/extract-run.ts';
import { ScanRun } from './running/scan-run.ts';
import { type MalwareScanner, NO_SCANNER } from './scanning/clamd.ts';
import { Uploads } from './uploads.ts';

export interface ComplianceServiceDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly sealer: Sealer;
  readonly webhooks: Pick<Webhooks, 'publish'>;
  readonly documentDays: CasesDeps['documentDays'];
  readonly registry?: Registry;
  readonly scanner?: MalwareScanner;
  readonly pictures: PictureReader | null;
  readonly network: NumberingNetwork | null;
  /** The callback runs for each approved case, and again after a failure. */
  readonly approved?: Approved;
  readonly background: BackgroundTasks;
  readonly onError?: (error: Error) => void;
}

const SWEEP_EVERY_MS = 3600 * 1000;

export class ComplianceService {
  readonly caseService: CaseService;
  readonly cases: Cases;
  readonly attestations: Attestations;
  readonly uploads: Uploads;
  readonly corrections: Corrections;
  readonly submissions: Submissions;
  readonly documents: DocumentSweep;
  readonly registry: Registry;
  readonly #deps: ComplianceServiceDeps;
  #workers: JobWorker[] = [];
  #sweeping: RepeatingTask | null = null;

  constructor(deps: ComplianceServiceDeps) {
    const caseService = new CaseService(deps);
    const shared = { ...deps, caseService };
    this.#deps = deps;
    this.caseService = caseService;
    this.registry = deps.registry ?? new Registry();
    this.cases = new Cases({ ...shared, registry: this.registry });
    this.attestations = new Attestations(shared);
    this.uploads = new Uploads(shared);
    this.corrections = new Corrections(shared);
    this.submissions = new Submissions(shared);
    this.documents = new DocumentSweep(shared);
  }

  start(): void {
    const { queue, background, scanner = NO_SCANNER, pictures, network, onError = () => {} } = this.#deps;
    const shared = { ...this.#deps, caseService: this.caseService };
    const runs = [
      new ScanRun({ ...shared, scanner }),
      new ExtractRun({ ...shared, reader: new DocumentReader(pictures) }),
      new CaseDeadlineRun(shared),
      new DocumentExpiryRun(shared),
      ...(network === null ? [] : [new CarrierSubmissionRun({ ...shared, network })]),
    ];
    this.#workers = runs.map(({ definition }) => queue.startWorker(definition, { onError }));
    const sweep = () => this.documents.sweep();
    const times = { everyMs: SWEEP_EVERY_MS, firstMs: 60_000 };
    this.#sweeping = background.repeat('unused compliance documents', sweep, times);
  }

  async stop(deadlineMs: number): Promise<void> {
    await this.#sweeping?.stop();
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop(deadlineMs)));
  }
}
